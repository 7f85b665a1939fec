// SPDX-License-Identifier: BSD-3-Clause
// Texts, and other bytes, as letters that may stand in a URL: deflate, then base64url.

const through = async (bytes, stream) => new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer());

export async function packed(text) {
  const bytes = await through(new TextEncoder().encode(text), new CompressionStream("deflate-raw"));
  return btoa(Array.from(bytes, (b) => String.fromCharCode(b)).join("")).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}
export async function unpackedBytes(letters) {
  const bytes = Uint8Array.from(atob(letters.replaceAll("-", "+").replaceAll("_", "/")), (c) => c.charCodeAt(0));
  return through(bytes, new DecompressionStream("deflate-raw"));
}
export const unpacked = async (letters) => new TextDecoder("utf-8", { fatal: true }).decode(await unpackedBytes(letters));
