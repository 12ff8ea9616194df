import CacheFiles
import CacheModel
import FileHashing
public import Foundation

extension ResponseCache {
  /// Returns the metadata of a stored body; this does not count as a read.
  public func entry(for url: URL) async throws(ResponseError) -> ResponseEntry? {
    let name = try Self.name(of: url)
    await opened()
    return store.entry(for: name).map { version, tags, lastRead in
      ResponseEntry(
        kind: version.kind, bytes: version.bytes, tags: tags.map(\.text), etag: version.etag,
        staleAt: Self.date(version.staleAt), lastRead: Self.date(lastRead))
    }
  }

  /// Stores a body from another source, as if the server had sent it now.
  public func store(
    _ body: Data, for url: URL, kind: ResponseKind, maximumAge: Duration, etag: String? = nil
  ) async throws(ResponseError) {
    let name = try Self.name(of: url)
    guard body.count <= options.maximumBodyBytes else {
      throw ResponseError(.notStorable, url: url)
    }
    let digest = BodyDigest(FileDigest.of(body))
    await opened()
    while store.isCongested { await change() }
    let lifetime = max(maximumAge, .zero)
    let version = BodyVersion(
      kind: kind, bytes: body.count, digest: digest, etag: etag.flatMap(Self.checkedETag),
      generatedAt: now, staleAt: now.advanced(by: lifetime))
    store.store(body, version, for: name, at: now)
    startWorking()
  }

  /// Removes a tag from all its entries, and returns when that is on disk.
  ///
  /// Entries without other tags are deleted by a later sweep.
  public func removeTag(_ tag: String) async throws(ResponseError) {
    await opened()
    try await wait(for: store.removeTag(TextKey(tag), at: now))
  }

  /// Removes entries without a tag above the maximum, and returns when their files are deleted.
  public func sweep() async {
    await opened()
    store.sweep(at: now)
    await settled()
  }

  /// Removes everything, including tags and downloads, and returns when that is on disk; ask the user first.
  public func removeAll() async throws(ResponseError) {
    await opened()
    try await wait(for: store.removeAll(at: now))
  }

  /// Writes all pending changes, including the order of use.
  public func flush() async throws(ResponseError) {
    await opened()
    // Bodies first: metadata written before its body would have to be written again.
    await settled()
    try await wait(for: store.flush())
    await settled()
  }
}
