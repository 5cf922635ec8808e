"""Scores a table that is partitioned by day, and each night only the days whose files are new or changed.

    patient-risk sql --dialect spark --model readmission30 --table patients --unique --source --keep day \
      --columns idx,age,sex,inpatientAdmissions,emergencyAdmissions,stayDays,day > readmission30.sql
    spark-submit nightly.py --sql readmission30.sql --input patients/ --output risks/

`patients/day=2026-11-18/` becomes `risks/day=2026-11-18/`, in any file system that Hadoop knows (hdfs, s3a, abfss, gs). What each output
was made from stands in `risks/_nightly.json`, which is written after the outputs: a run that ends early is repeated by the next one.
"""

import argparse
import datetime
import hashlib
import json

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as f

from score import HUGE_METHODS

DAY = "day"
STATE = "_nightly.json"
FUTURE_DATE = "(date in the future)"


class Folder:
    """Files of a folder by Hadoop's own interface, which Spark uses too."""

    def __init__(self, spark: SparkSession, path: str) -> None:
        self._jvm = spark._jvm
        self._path = self._jvm.org.apache.hadoop.fs.Path(path)
        self._files = self._path.getFileSystem(spark._jsc.hadoopConfiguration())

    def days(self) -> dict:
        """What the files of each day are: a digest of their names, sizes and times."""
        if not self._files.exists(self._path):
            return {}
        found = {}
        for folder in self._files.listStatus(self._path):
            name = folder.getPath().getName()
            if not folder.isDirectory() or not name.startswith(DAY + "="):
                continue
            files = [
                (each.getPath().getName(), each.getLen(), each.getModificationTime())
                for each in self._files.listStatus(folder.getPath())
                if not each.getPath().getName().startswith(("_", "."))
            ]
            if files:
                found[name[len(DAY) + 1 :]] = digest_of(repr(sorted(files)))
        return found

    def read(self, name: str) -> dict:
        path = self._jvm.org.apache.hadoop.fs.Path(self._path, name)
        if not self._files.exists(path):
            return {}
        stream = self._files.open(path)
        try:
            return json.loads(self._jvm.org.apache.commons.io.IOUtils.toString(stream, "UTF-8"))
        finally:
            stream.close()

    def write(self, name: str, value: dict) -> None:
        stream = self._files.create(self._jvm.org.apache.hadoop.fs.Path(self._path, name), True)
        try:
            stream.write(bytearray(json.dumps(value, indent=1, sort_keys=True), "utf-8"))
        finally:
            stream.close()


def digest_of(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def refuse_repeats(table: DataFrame) -> None:
    """The statement is printed with --unique, so nothing else looks for two rows of one patient in a day."""
    repeated = table.where("idx IS NOT NULL").groupBy(DAY, "idx").count().where("count > 1")
    days = sorted(str(row[DAY]) for row in repeated.select(DAY).distinct().collect())
    if days:
        raise SystemExit(f"Two rows of a day have the same idx; nothing was written. Days: {', '.join(days)}")


def main() -> None:
    words = argparse.ArgumentParser(description="Score the days of a table that are new or changed.")
    words.add_argument("--sql", required=True, help="the file that patient-risk sql printed")
    words.add_argument("--input", required=True, help="a folder with folders day=YYYY-MM-DD of Parquet files")
    words.add_argument("--output", required=True, help="the folder for the results, by day")
    words.add_argument("--since", help="leave out the days before this one, YYYY-MM-DD")
    given = words.parse_args()
    with open(given.sql, encoding="utf-8") as file:
        query = file.read()
    spark = (
        SparkSession.builder.appName("patient-risk")
        .config(*HUGE_METHODS)
        .config("spark.sql.sources.partitionOverwriteMode", "dynamic")
        # Days stay texts, as the names of the folders have them.
        .config("spark.sql.sources.partitionColumnTypeInference.enabled", "false")
        .getOrCreate()
    )
    try:
        print(update(spark, query, given.input, given.output, given.since))
    finally:
        spark.stop()


def update(spark: SparkSession, query: str, source: str, target: str, since: str | None) -> str:
    """Scores what has changed, and says what was done."""
    today = str(spark.sql("SELECT current_date() AS today").first()["today"])
    statement = digest_of(query)
    output = Folder(spark, target)
    known = output.read(STATE)
    days = {day: state for day, state in Folder(spark, source).days().items() if since is None or day >= since}
    if not days:
        raise SystemExit(f"There are no days in {source}; nothing was changed.")

    def is_current(day: str) -> bool:
        last = known.get(day)
        if last is None or last["input"] != days[day] or last["statement"] != statement:
            return False
        return last["today"] == today or not last["future"]

    changed = sorted(day for day in days if not is_current(day))
    if changed:
        table = spark.read.option("basePath", source).parquet(*[f"{source.rstrip('/')}/{DAY}={day}" for day in changed])
        refuse_repeats(table)
        table.createOrReplaceTempView("patients")
        spark.sql(query).write.mode("overwrite").partitionBy(DAY).parquet(target)
        written = spark.read.parquet(target).where(f.col(DAY).isin(changed))
        late = f.max(f.col("error_message").contains(FUTURE_DATE)).alias("late")
        future = {str(row[DAY]): bool(row["late"]) for row in written.groupBy(DAY).agg(late).collect()}
        for day in changed:
            known[day] = {
                "input": days[day],
                "statement": statement,
                "today": today,
                "future": future.get(day, False),
                "scored_at": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
            }
        output.write(STATE, known)
    done = f"{len(changed)} of {len(days)} days scored, {len(days) - len(changed)} as before."
    return f"{done} {', '.join(changed)}".rstrip()


if __name__ == "__main__":
    main()
