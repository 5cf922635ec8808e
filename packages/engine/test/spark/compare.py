"""The Python side of `npm run test:spark`: makes the rows, scores them, and compares every row with the engine's answer."""

import sys
import time

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

folder, master, count, examples = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4]
sys.path.insert(0, examples)
from score import HUGE_METHODS, score  # noqa: E402

PARTITIONS = 40

spark = (
    SparkSession.builder.master(master)
    .appName("patient-risk test")
    .config("spark.executor.memory", "1g")
    .config("spark.driver.host", "127.0.0.1")
    .config("spark.driver.bindAddress", "127.0.0.1")
    .config("spark.ui.enabled", "false")
    .config("spark.sql.shuffle.partitions", "16")
    .config(*HUGE_METHODS)
    .getOrCreate()
)
with open(f"{folder}/schema.txt", encoding="utf-8") as file:
    base = spark.read.schema(file.read()).json(f"{folder}/base.ndjson")
size = base.count()
copies = -(-count // size)
# Each copy of the base table gets an idx range of its own.
every = (
    base.crossJoin(F.broadcast(spark.range(copies).withColumnRenamed("id", "copy")))
    .withColumn("base_idx", F.col("idx"))
    .withColumn("idx", F.col("idx") + F.col("copy") * F.lit(size))
    .filter(F.col("idx") < count)
)
every.repartition(PARTITIONS).write.parquet(f"{folder}/in")
rows = spark.read.parquet(f"{folder}/in")
with open(f"{folder}/query.sql", encoding="utf-8") as file:
    query = file.read()
start = time.time()
score(spark, query, rows).write.parquet(f"{folder}/out")
seconds = time.time() - start

# The engine's message for a copy names the copy's idx in place of the base row's.
expected = F.regexp_replace("expected_message", r" in idx \d+ \(", F.concat(F.lit(" in idx "), F.col("idx").cast("string"), F.lit(" (")))
wanted = rows.select(F.col("idx").alias("wanted_idx"), "expected_risk", expected.alias("expected"), "expected_notices")
found = spark.read.parquet(f"{folder}/out")
joined = wanted.join(found, F.col("wanted_idx") == F.col("idx"), "full_outer")
same = F.col("risk").eqNullSafe(F.col("expected_risk")) & F.col("error_message").eqNullSafe(F.col("expected"))
same = same & F.col("notices").eqNullSafe(F.col("expected_notices"))
numbers = joined.agg(
    F.count("*").alias("rows"),
    F.sum(F.when(same & F.col("idx").isNotNull() & F.col("wanted_idx").isNotNull(), 0).otherwise(1)).alias("different"),
    F.count("risk").alias("scored"),
).first()
for row in joined.filter(~same).limit(3).collect():
    print(row)
print(f"{numbers['rows']} rows compared, {numbers['scored']} scored, {numbers['different']} different, {seconds:.0f} s")
spark.stop()
sys.exit(0 if numbers["different"] == 0 and numbers["rows"] == count else 1)
