import Foundation

extension ResponseCache {
  /// Sends any request past the cache: nothing is answered from it, and nothing stored.
  ///
  /// Where a request that may change something succeeds, what is stored for its URL, and for the `Location` and
  /// `Content-Location` of the answer on the same server, is not used again without asking (RFC 9111, section 4.4). No
  /// redirect is followed.
  ///
  /// - Throws: an error offline, or where there is no answer; none for a status.
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

  /// Has what a request may have changed asked about before it is used again.
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
    // Where it cannot be written, the process at least knows.
    if let last { try? await wait(for: last) }
  }
}
