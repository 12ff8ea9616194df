import Foundation
import Synchronization

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Sends requests by URLSession, without its cache and without following redirects.
public final class URLSessionTransport: HTTPTransport {
  private let session: URLSession
  private let receiver = Receiver()

  /// - Parameter timeOut: the maximum wait for more data of an answer.
  public init(timeOut: Duration = .seconds(30)) {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.urlCache = nil
    configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
    configuration.timeoutIntervalForRequest =
      Double(timeOut.components.seconds)
      + Double(timeOut.components.attoseconds) / 1e18
    session = URLSession(configuration: configuration, delegate: receiver, delegateQueue: nil)
  }

  deinit { session.invalidateAndCancel() }

  public func send(_ call: HTTPCall) async throws(HTTPTransportError) -> HTTPAnswer {
    var request = URLRequest(url: call.url)
    request.httpMethod = call.method
    request.httpBody = call.body
    for field in call.fields { request.addValue(field.value, forHTTPHeaderField: field.name) }
    let task = session.dataTask(with: request)
    let received = await withCheckedContinuation { done in
      receiver.expect(task, atMost: call.maximumBytes, done)
      task.resume()
    }
    return try received.get()
  }
}

private final class Receiver: NSObject, URLSessionDataDelegate, Sendable {
  typealias Received = Result<HTTPAnswer, HTTPTransportError>

  private struct Gathered {
    var limit: Int
    var body = Data()
    var isTooLarge = false
    var done: CheckedContinuation<Received, Never>
  }

  private let tasks = Mutex<[Int: Gathered]>([:])

  func expect(
    _ task: URLSessionTask, atMost limit: Int, _ done: CheckedContinuation<Received, Never>
  ) {
    tasks.withLock { $0[task.taskIdentifier] = Gathered(limit: limit, done: done) }
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    let isTooLarge = tasks.withLock { tasks in
      let id = dataTask.taskIdentifier
      guard let gathered = tasks[id], !gathered.isTooLarge else { return false }
      tasks[id]?.isTooLarge = data.count > gathered.limit - gathered.body.count
      if tasks[id]?.isTooLarge == false { tasks[id]?.body.append(data) }
      return tasks[id]?.isTooLarge ?? false
    }
    if isTooLarge { dataTask.cancel() }
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask,
    willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest,
    completionHandler: @escaping @Sendable (URLRequest?) -> Void
  ) {
    // The redirect itself is the answer.
    completionHandler(nil)
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
  ) {
    let gathered = tasks.withLock { $0.removeValue(forKey: task.taskIdentifier) }
    guard let gathered else { return }
    gathered.done.resume(returning: Self.received(gathered, task.response, error))
  }

  private static func received(
    _ gathered: Gathered, _ response: URLResponse?, _ error: (any Error)?
  ) -> Received {
    if gathered.isTooLarge {
      return .failure(.invalid("the body has more than \(gathered.limit) bytes"))
    }
    if let error { return .failure(failure(error)) }
    guard let response = response as? HTTPURLResponse else {
      return .failure(.invalid("the answer is none of HTTP"))
    }
    var fields = response.allHeaderFields.compactMap { name, value in
      (name as? String).map { HTTPField($0, "\(value)") }
    }
    // URLSession has decoded the body, so neither the coding's name nor the length applies.
    if !fields.values(of: "content-encoding").isEmpty {
      fields.removeAll { ["content-encoding", "content-length"].contains($0.name.lowercased()) }
    }
    return .success(
      HTTPAnswer(status: response.statusCode, fields: fields, body: gathered.body))
  }

  private static func failure(_ error: any Error) -> HTTPTransportError {
    guard let error = error as? URLError else { return .failed("\(error)") }
    switch error.code {
    case .notConnectedToInternet, .dataNotAllowed, .internationalRoamingOff: return .offline
    case .timedOut: return .timedOut
    case .badServerResponse, .cannotParseResponse, .cannotDecodeRawData,
      .cannotDecodeContentData:
      return .invalid(error.localizedDescription)
    default: return .failed(error.localizedDescription)
    }
  }
}
