-- inkling.sql - the functions of Inkling that give rows or read files, in DuckDB: run it after LOAD, in each connection.
--
-- DuckDB reads a file, by its own rules (enable_external_access, allowed_directories), once for each query; the path is
-- a constant or a parameter. These macros are of the connection. Without TEMP, the database keeps them.
--
-- SPDX-License-Identifier: Apache-2.0
CREATE OR REPLACE TEMP MACRO ink_top_keys(sketch, k := 10) AS TABLE
    SELECT unnest(inkling_top_keys(sketch, k), recursive := true);
CREATE OR REPLACE TEMP MACRO ink_read(path) AS TABLE
    SELECT unnest(inkling_read_file(path, any_value(content)), recursive := true) FROM read_blob(coalesce(path, ''));
CREATE OR REPLACE TEMP MACRO ink_contains_file(path, key) AS
    inkling_ask_file((SELECT inkling_open_file(path, any_value(content)) FROM read_blob(coalesce(path, ''))), key);
