import CacheFiles
import CacheModel
import FileHashing
import Foundation

extension ResponseCache {
  /// Asks a server, and makes sure of what it says.
  nonisolated func ask(_ url: URL, etag: String?) async -> Exchange<Data> {
    let maximum = options.maximumBodyBytes
    let asked = now
    let call = HTTPCall(
      url, fields: etag.map { [HTTPField("If-None-Match", $0)] } ?? [], maximumBytes: maximum)
    let answer: HTTPAnswer
    do {
      answer = try await transport.send(call)
    } catch {
      switch error {
      case .offline: return .offline
      case .timedOut: return .timedOut
      case .failed(let words): return .failed(words)
      case .invalid(let words): return .invalid(words)
      }
    }
    let body = answer.body
    guard body.count <= maximum else { return .invalid("the body has more than \(maximum) bytes") }
    if answer.status == 200, answer.field("content-encoding") == nil,
      let length = answer.field("content-length").flatMap({ Int($0) }), length != body.count
    {
      return .invalid("the body has \(body.count) bytes, the server said \(length)")
    }
    let mayStore = answer.status == 200 && storesIf(url, files.folder.freeBytes)
    return .answered(
      Answer(
        status: answer.status, body: body, bytes: body.count,
        digest: mayStore ? BodyDigest(FileDigest.of(body)) : nil,
        kind: ResponseKind(contentType: answer.field("content-type")),
        etag: answer.field("etag").flatMap(Self.checkedETag),
        fields: CacheFields(answer.fields.map { ($0.name, $0.value) }), asked: asked,
        mayStore: mayStore))
  }

  /// An ETag as RFC 9110 has it (section 8.8.3), since it is sent back.
  static func checkedETag(_ text: String) -> String? {
    let opaque = text.hasPrefix("W/") ? text.dropFirst(2) : text[...]
    guard opaque.utf8.count >= 2, text.utf8.count <= ManifestText.maximumTagBytes,
      opaque.hasPrefix("\""), opaque.hasSuffix("\""),
      opaque.utf8.dropFirst().dropLast().allSatisfy({ (0x21...0x7E).contains($0) && $0 != 0x22 })
    else { return nil }
    return text
  }
}
