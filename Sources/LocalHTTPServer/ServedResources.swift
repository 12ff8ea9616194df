import Synchronization

/// A server's resources by path: bodies with an ETag and a lifetime, and 304 for a client that has them.
package final class ServedResources: Sendable {
  package struct Resource: Sendable {
    package var body: [UInt8]
    package var contentType: String
    package var maximumAge: Int?
    package var etag: String?

    package init(
      _ body: some Sequence<UInt8>, contentType: String = "application/json",
      maximumAge: Int? = 297, etag: String? = nil
    ) {
      self.body = Array(body)
      self.contentType = contentType
      self.maximumAge = maximumAge
      self.etag = etag
    }
  }

  private let resources = Mutex<[String: Resource]>([:])
  private let rule = Mutex<(@Sendable (LocalHTTPServer.Request) -> LocalHTTPServer.Answer?)?>(nil)

  package init() {}

  package subscript(path: String) -> Resource? {
    get { resources.withLock { $0[path] } }
    set { resources.withLock { $0[path] = newValue } }
  }

  /// Sets a rule that takes precedence over the resources if it has an answer; `nil`: none.
  package func answer(
    _ rule: (@Sendable (LocalHTTPServer.Request) -> LocalHTTPServer.Answer?)?
  ) {
    self.rule.withLock { $0 = rule }
  }

  package func answer(to request: LocalHTTPServer.Request) -> LocalHTTPServer.Answer {
    if let answer = rule.withLock({ $0 })?(request) { return answer }
    guard let resource = self[request.path] else { return LocalHTTPServer.Answer(status: 404) }
    var fields = [(name: "Content-Type", value: resource.contentType)]
    if let etag = resource.etag { fields.append(("ETag", etag)) }
    if let age = resource.maximumAge { fields.append(("Cache-Control", "max-age=\(age)")) }
    if let etag = resource.etag, request.ifNoneMatch == etag {
      return LocalHTTPServer.Answer(status: 304, fields: fields)
    }
    return LocalHTTPServer.Answer(status: 200, fields: fields, body: resource.body)
  }
}
