// Serves an S3 with an empty bucket `notes` on a free port of this machine: `node serve_s3rver.cjs NODE_MODULES FOLDER`, where FOLDER keeps the objects.
// Prints the address of its endpoint, and ends when its standard input is closed. Its keys are S3RVER and S3RVER.
const { createHash } = require("crypto");
const { mkdtempSync, promises: files, rmSync } = require("fs");
const { dirname, join } = require("path");

const [modules, folder] = process.argv.slice(2);
const S3rver = require(join(modules, "s3rver"));
const FilesystemStore = require(join(modules, "s3rver", "lib", "stores", "filesystem"));

// Its own answers before the file is written, so that a read that follows at once could find it empty.
FilesystemStore.prototype.putObject = async function (object) {
  const parts = Buffer.isBuffer(object.content) ? [object.content] : [];
  if (parts.length === 0) {
    for await (const part of object.content) parts.push(part);
  }
  const content = Buffer.concat(parts);
  const file = this.getResourcePath(object.bucket, object.key, "object");
  await files.mkdir(dirname(file), { recursive: true });
  await files.writeFile(file, content);
  const md5 = createHash("md5").update(content).digest("hex");
  await this.putMetadata(object.bucket, object.key, object.metadata, md5);
  return { size: content.length, md5 };
};

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
