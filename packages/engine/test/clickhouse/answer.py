"""The Python side of `npm run test:clickhouse`: runs each statement that it is given and prints its rows, a line of JSON for each."""

import json
import sys

from chdb import session

database = session.Session()
for line in sys.stdin:
    try:
        answer = {"rows": str(database.query(json.loads(line), "JSONEachRow"))}
    except Exception as error:
        answer = {"error": str(error)}
    print(json.dumps(answer), flush=True)
