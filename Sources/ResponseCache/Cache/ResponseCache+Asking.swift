import CacheFiles
import CacheModel
import FileHashing
import Foundation

extension ResponseCache {
  /// Asks a server, and makes sure of what it says.
  ///
  /// - Returns: what to tell the store; and the answer, if there was one.
  nonisolated func ask(
    _ url: URL, _ fields: [HTTPField], _ condition: ResponseCondition?
  ) async -> (exchange: Exchange<Data>, answer: HTTPAnswer?) {
    var fields = fields
    switch condition {
    case .etag(let etag): fields.append(HTTPField("If-None-Match", etag))
    case .lastModified(let date): fields.append(HTTPField("If-Modified-Since", date))
    case nil: break
    }
    let call = HTTPCall(url, fields: fields, maximumBytes: options.maximumBodyBytes)
    let asked = now
    do {
      let answer = try await transport.send(call)
      return (exchange(of: answer, to: url, asked: asked), answer)
    } catch {
      switch error {
      case .offline: return (.offline, nil)
      case .timedOut: return (.timedOut, nil)
      case .failed(let words): return (.failed(words), nil)
      case .invalid(let words): return (.invalid(words), nil)
      }
    }
  }

  private nonisolated func exchange(
    of answer: HTTPAnswer, to url: URL, asked: Instant
  ) -> Exchange<Data> {
    let maximum = options.maximumBodyBytes
    let body = answer.body
    guard body.count <= maximum else { return .invalid("the body has more than \(maximum) bytes") }
    if answer.status == 200, answer.field("content-encoding") == nil,
      let length = answer.field("content-length").flatMap({ Int($0) }), length != body.count
    {
      return .invalid("the body has \(body.count) bytes, the server said \(length)")
    }
    let hasBody = (200..<400).contains(answer.status) && answer.status != 304
    let mayStore = hasBody && storesIf(url, files.folder.freeBytes)
    return .answered(
      Answer(
        status: answer.status, body: body, bytes: body.count,
        digest: mayStore ? BodyDigest(FileDigest.of(body)) : nil,
        kind: ResponseKind(contentType: answer.field("content-type")),
        etag: answer.field("etag").flatMap(Self.checkedETag),
        fields: CacheFields(answer.fields), header: answer.fields, asked: asked,
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
