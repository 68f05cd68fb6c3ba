-- The extension as psql shows it: make installcheck, which `make test-sql` runs on a server of its own.
CREATE EXTENSION inkling;

-- The type.
SELECT 'eA=='::ink;
SELECT ink_bloom(k)::text::ink = ink_bloom(k) AS same FROM generate_series(1, 9) AS k;
SELECT ink_hll(k) AS a FROM generate_series(1, 9) AS k ORDER BY a;

-- A table of visits.
CREATE TABLE visits AS
    SELECT date '2026-03-02' + i / 1000 AS day, 'u' || i * 7919 % 1500 AS visitor, i % 40 AS page
    FROM generate_series(0, 13999) AS i;
CREATE TABLE days AS
    SELECT day, ink_hll(visitor) AS visitors, ink_bloom(visitor, 'n=2000') AS who, ink_theta(visitor) AS sets
    FROM visits GROUP BY day;
SELECT day, ink_distinct(visitors), pg_column_size(who) FROM days ORDER BY day LIMIT 3;
SELECT date_trunc('week', day)::date AS week, ink_distinct(ink_merge(visitors)) FROM days GROUP BY week ORDER BY week;
SELECT count(*) FROM days WHERE ink_contains(who, 'u7');
SELECT ink_distinct(ink_intersect(a.sets, b.sets)), ink_jaccard(a.sets, b.sets)
    FROM days AS a, days AS b WHERE a.day = '2026-03-02' AND b.day = '2026-03-03';
SELECT key, estimate, low, high FROM ink_top_keys((SELECT ink_top(page, 'k=3') FROM visits WHERE page < 3), 3) ORDER BY key;
SELECT ink_count(ink_count_min(page, 2), 7) FROM visits;
SELECT ink_digest(ink_hll(page)) FROM visits;
SELECT ink_info(ink_hll(page)) FROM visits;

-- Nothing, NULL and the empty string.
SELECT ink_hll(visitor) IS NULL AS nothing, ink_count_distinct(visitor) FROM visits WHERE false;
SELECT ink_count_distinct(x) FROM (VALUES (NULL), (''), ('')) AS v(x);
SELECT ink_contains(NULL::ink, 5) IS NULL AS nothing;

-- What is refused.
SELECT ink_hll(1.5);
SELECT ink_hll(gen_random_uuid());
SELECT ink_contains(ink_bloom(5), 'five');
SELECT ink_bloom(5, 'q=1');
SELECT ink_merge(who) FROM (SELECT who FROM days UNION ALL SELECT ink_bloom('u1'::text)) AS x;
SELECT ink_count_min(page, -1) FROM visits;
SELECT ink_contains_file('/nowhere', 5);

-- Plans: workers aggregate parts.
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SET max_parallel_workers_per_gather = 2;
EXPLAIN (COSTS OFF) SELECT ink_hll(visitor) FROM visits;
SELECT ink_digest(ink_hll(visitor)) AS in_parts FROM visits;
SET max_parallel_workers_per_gather = 0;
SELECT ink_digest(ink_hll(visitor)) AS in_one FROM visits;

\set VERBOSITY terse
DROP EXTENSION inkling;
DROP EXTENSION inkling CASCADE;
