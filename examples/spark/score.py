"""Scores a table with the SQL that `patient-risk sql --dialect spark` prints.

    patient-risk sql --dialect spark --model readmission30 --table patients > readmission30.sql
    spark-submit score.py --sql readmission30.sql --input patients/ --output risks/

In a Databricks notebook, where `spark` is there already, four lines are enough:

    from score import HUGE_METHODS, score
    spark.conf.set(*HUGE_METHODS)
    table = spark.read.table("hospital.patients")
    score(spark, open("readmission30.sql").read(), table).write.saveAsTable("hospital.risks")
"""

import argparse

from pyspark.sql import DataFrame, SparkSession

# Java interprets methods above this size instead of compiling them. Without this setting Spark generates one such method for a model.
HUGE_METHODS = ("spark.sql.codegen.hugeMethodLimit", "8000")


def score(spark: SparkSession, query: str, table: DataFrame, view: str = "patients") -> DataFrame:
    """The answer for each row of the table: idx, risk and error_message. `view` is the table that the query reads."""
    table.createOrReplaceTempView(view)
    return spark.sql(query)


def main() -> None:
    words = argparse.ArgumentParser(description="Score a table of patients on Spark.")
    words.add_argument("--sql", required=True, help="the file that patient-risk sql printed")
    words.add_argument("--input", required=True, help="a Parquet file or folder")
    words.add_argument("--output", required=True, help="the folder to write Parquet files to; it must not exist")
    given = words.parse_args()
    spark = SparkSession.builder.appName("patient-risk").config(*HUGE_METHODS).getOrCreate()
    try:
        with open(given.sql, encoding="utf-8") as file:
            query = file.read()
        score(spark, query, spark.read.parquet(given.input)).write.parquet(given.output)
    finally:
        spark.stop()


if __name__ == "__main__":
    main()
