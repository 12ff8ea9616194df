import CacheFiles
import CacheModel
import FileHashing
import Foundation
import Logging

extension ResponseCache {
  /// Sends a request to a server, and checks the answer.
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

  /// Returns a valid ETag (RFC 9110, section 8.8.3), since it will be sent back.
  static func checkedETag(_ text: String) -> String? {
    let opaque = text.hasPrefix("W/") ? text.dropFirst(2) : text[...]
    guard opaque.utf8.count >= 2, text.utf8.count <= ManifestText.maximumTagBytes,
      opaque.hasPrefix("\""), opaque.hasSuffix("\""),
      opaque.utf8.dropFirst().dropLast().allSatisfy({ (0x21...0x7E).contains($0) && $0 != 0x22 })
    else { return nil }
    return text
  }
}

extension CachedResponse {
  /// The target of a redirect; `nil`: it is not one.
  var redirectTarget: URL? {
    guard [301, 302, 303, 307, 308].contains(status),
      let location = fields.values(of: "location").first
    else { return nil }
    return URL(string: location, relativeTo: url)?.absoluteURL
  }
}

extension ResponseCache {
  /// Returns the fields for a redirect's target: credentials are not sent to another server.
  static func fields(_ fields: [HTTPField], from url: URL, to target: URL) -> [HTTPField] {
    guard !isSameServer(url, target) else { return fields }
    return fields.filter {
      !["authorization", "cookie", "proxy-authorization"].contains($0.name.lowercased())
    }
  }

  /// Returns whether scheme, host and port are equal.
  static func isSameServer(_ one: URL, _ other: URL) -> Bool {
    func parts(_ url: URL) -> (String?, String?, Int) {
      let scheme = url.scheme?.lowercased()
      return (scheme, url.host?.lowercased(), url.port ?? (scheme == "https" ? 443 : 80))
    }
    return parts(one) == parts(other)
  }

  /// Rejects fields for conditions and ranges, which the cache sets itself.
  static func check(_ fields: [HTTPField]) throws(ResponseError) {
    for field in fields {
      var name = FieldReader(field.name)
      guard name.token() != nil, name.isAtEnd,
        field.value.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }),
        ![
          "range", "if-match", "if-none-match", "if-modified-since", "if-unmodified-since",
          "if-range",
        ]
        .contains(field.name.lowercased())
      else { throw ResponseError(.invalidField(field.name)) }
    }
  }
}

extension ResponseCache {
  /// Sends any request without using the cache: neither served from it nor stored.
  ///
  /// After a successful unsafe request, stored answers for its URL, and for the answer's `Location` and
  /// `Content-Location` on the same server, are validated before their next use (RFC 9111, section 4.4).
  /// Redirects are not followed.
  ///
  /// - Throws: an error offline, or if there is no answer; none for a status.
  public func send(_ call: HTTPCall) async throws(ResponseError) -> HTTPAnswer {
    _ = try Self.name(of: call.url)
    guard store.isOnline else { throw ResponseError(.offline, url: call.url) }
    do {
      let answer = try await transport.send(call)
      await invalidate(after: call, answer)
      return answer
    } catch {
      switch error {
      case .offline: throw ResponseError(.offline, url: call.url)
      case .timedOut: throw ResponseError(.timedOut, url: call.url)
      case .failed(let words): throw ResponseError(.transport(words), url: call.url)
      case .invalid(let words): throw ResponseError(.invalidAnswer(words), url: call.url)
      }
    }
  }

  /// Makes stored answers that a request may have changed require validation.
  private func invalidate(after call: HTTPCall, _ answer: HTTPAnswer) async {
    guard !["GET", "HEAD", "OPTIONS", "TRACE"].contains(call.method),
      (200..<400).contains(answer.status)
    else { return }
    await opened()
    let named = ["location", "content-location"].flatMap { answer.fields.values(of: $0) }
      .compactMap { URL(string: $0, relativeTo: call.url)?.absoluteURL }
      .filter { Self.isSameServer($0, call.url) }
    var last: UInt64?
    for url in [call.url] + named {
      guard let name = try? Self.name(of: url) else { continue }
      last = store.invalidate(name, at: now) ?? last
    }
    // If it cannot be written, it still applies in this process.
    if let last { try? await wait(for: last) }
  }
}

extension ResponseCache {
  /// Logs the store's notices.
  ///
  /// A URL may be personal data, so file names are logged instead.
  func tell() {
    for notice in store.takeNotices() {
      switch notice {
      case .inUse:
        logger.warning("nothing is stored: another cache has the folder", metadata: place)
      case .unavailable(let failure):
        logger.warning("nothing is stored: no folder", metadata: metadata(nil, failure))
      case .diskFull(let failure):
        logger.warning("nothing new is stored: no space", metadata: metadata(nil, failure))
      case .damagedManifest:
        logger.warning("what was written of entries is damaged: tags are lost", metadata: place)
      case .damaged(let key):
        logger.warning("a body is damaged or gone, and is removed", metadata: metadata(key, nil))
      case .notWritten(let key, let failure):
        logger.info("a body cannot be written", metadata: metadata(key, failure))
      case .metadataNotWritten(let failure):
        logger.warning("tags cannot be written", metadata: metadata(nil, failure))
      case .reconciled(let orphans, let missing, let rebuilt):
        logger.info(
          "entries and files did not agree",
          metadata: [
            "folder": "\(files.folder.path)", "orphans": "\(orphans)", "missing": "\(missing)",
            "rebuilt": "\(rebuilt)",
          ])
      case .swept(let count): logger.debug("swept", metadata: ["entries": "\(count)"])
      }
    }
  }

  private var place: Logger.Metadata { ["folder": "\(files.folder.path)"] }

  private func metadata(_ key: FileName?, _ failure: FileFailure?) -> Logger.Metadata {
    var metadata = place
    if let key { metadata["file"] = "\(key)" }
    if let failure { metadata["error"] = "\(failure)" }
    return metadata
  }
}
