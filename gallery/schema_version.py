"""The version of every JSON that Cutaway publishes or prints: its `schema` key.

The first number rises when a key goes, or means something else; the second when one is added. /docs/json/ has the
schemas; tests/app/test_docs_schemas.py holds them to this version.
"""

VERSION = "1.0"
