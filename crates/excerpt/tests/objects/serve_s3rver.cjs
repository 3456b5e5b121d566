// Serves an S3 with an empty bucket `notes` on a free port of this machine: `node serve_s3rver.cjs NODE_MODULES FOLDER`, where FOLDER keeps the objects.
// Prints the address of its endpoint, and ends when its standard input is closed. Its keys are S3RVER and S3RVER.
const { mkdtempSync, rmSync } = require("fs");
const { join } = require("path");

const [modules, folder] = process.argv.slice(2);
const S3rver = require(join(modules, "s3rver"));
const directory = mkdtempSync(join(folder, "objects-"));
const server = new S3rver({
  address: "127.0.0.1",
  port: 0,
  silent: true,
  directory,
  vhostBuckets: false,
  configureBuckets: [{ name: "notes" }],
});

function end() {
  rmSync(directory, { recursive: true, force: true });
  process.exit(0);
}

server.run().then(({ port }) => console.log(`http://127.0.0.1:${port}`));
process.stdin.on("end", end).on("error", end).resume();
