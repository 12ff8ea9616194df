import CacheFiles
import CacheModel
import FileHashing
public import Foundation

extension ResponseCache {
  /// What is known of a stored body; it is not read by that.
  public func entry(for url: URL) async throws(ResponseError) -> ResponseEntry? {
    let name = try Self.name(of: url)
    await opened()
    return store.entry(for: name).map { version, tags, lastRead in
      ResponseEntry(
        kind: version.kind, bytes: version.bytes, tags: tags.map(\.text), etag: version.etag,
        staleAt: Self.date(version.staleAt), lastRead: Self.date(lastRead))
    }
  }

  /// Stores a body that the app has from elsewhere, as if the server had sent it now.
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

  /// Removes a tag from all that has it, and returns once that is on disk.
  ///
  /// What has no other tag is deleted when a sweep needs its place.
  public func removeTag(_ tag: String) async throws(ResponseError) {
    await opened()
    try await wait(for: store.removeTag(TextKey(tag), at: now))
  }

  /// Brings the entries without a tag to the maximum, and returns once their files are gone.
  public func sweep() async {
    await opened()
    store.sweep(at: now)
    await settled()
  }

  /// Removes everything, tags and downloads too, and returns once that is on disk; ask the user before.
  public func removeAll() async throws(ResponseError) {
    await opened()
    try await wait(for: store.removeAll(at: now))
  }

  /// Writes all that waits, the order of use too.
  public func flush() async throws(ResponseError) {
    await opened()
    // Bodies first: what is written of an entry before its body would have to be written again.
    await settled()
    try await wait(for: store.flush())
    await settled()
  }
}
