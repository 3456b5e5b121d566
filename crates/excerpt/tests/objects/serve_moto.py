"""Serves an S3 with an empty bucket `notes` on a free port of this machine.

Prints the address of its endpoint, and ends when its standard input is closed.
"""

import sys

import boto3
from moto.server import ThreadedMotoServer


def main() -> None:
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    url = f"http://{host}:{port}"
    keys = {"aws_access_key_id": "S3RVER", "aws_secret_access_key": "S3RVER"}
    boto3.client("s3", endpoint_url=url, region_name="us-east-1", **keys).create_bucket(Bucket="notes")
    print(url, flush=True)
    sys.stdin.read()
    server.stop()


if __name__ == "__main__":
    main()
