-- inkling_files.sql - the functions of Inkling that open files, in DuckDB: run it after LOAD, in each connection.
--
-- DuckDB reads the file, by its own rules (enable_external_access, allowed_directories), once for each query. The
-- path is a constant or a parameter. Without TEMP, a database keeps these macros.
--
-- SPDX-License-Identifier: Apache-2.0
CREATE OR REPLACE TEMP MACRO ink_contains_file(path, key) AS
    inkling_ask_file((SELECT inkling_open_file(path, any_value(content)) FROM read_blob(coalesce(path, ''))), key);
CREATE OR REPLACE TEMP MACRO ink_read(path) AS TABLE
    SELECT unnest(inkling_read_file(path, any_value(content)), recursive := true) FROM read_blob(coalesce(path, ''));
