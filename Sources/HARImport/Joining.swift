/// Joins requests that are one for the app: redirects, and persisted operations that were sent again with
/// their text.
struct Joining {
  private var requests: [LoggedRequest]
  private var isJoined: [Bool]
  /// The first request of a chain of redirects, by file and target.
  private var redirects: [UInt64: Chain] = [:]
  /// The request whose text the server requested, by file, operation and variables.
  private var texts: [UInt64: Int] = [:]

  private struct Chain {
    var head: Int
    var addresses: [UInt64]
    var end: Int64
    var isLoop = false
  }

  /// The maximum time between an answer and the request that it causes.
  private static let delay: Int64 = 10_000_000_000
  private static let longestChain = 20

  static func join(_ all: consuming [LoggedRequest], _ log: TrafficLog) -> [LoggedRequest] {
    var joining = Joining(
      requests: [], isJoined: [Bool](repeating: false, count: all.count))
    swap(&joining.requests, &all)
    for index in joining.requests.indices { joining.read(index, log) }
    return joining.finish()
  }

  private mutating func finish() -> [LoggedRequest] {
    var count = 0
    for index in requests.indices where !isJoined[index] {
      var request = requests[index]
      // Its target is missing.
      if request.outcome == .redirected || request.outcome == .askedForText {
        request.outcome = .failed
      }
      requests[count] = request
      count += 1
    }
    requests.removeLast(requests.count - count)
    return requests
  }

  private mutating func read(_ index: Int, _ log: TrafficLog) {
    let request = requests[index]
    let key = Print.of(UInt64(request.file), request.address)
    if var chain = redirects[key], chain.end - 1_000_000_000 <= request.start,
      request.start <= chain.end + Self.delay
    {
      redirects[key] = nil
      isJoined[index] = true
      continueChain(&chain, with: request, log)
      return
    }
    if request.redirect != 0 {
      guard !log.excludedAddresses.contains(request.redirect) else {
        isJoined[index] = true
        return
      }
      let chain = Chain(
        head: index, addresses: [request.address], end: request.end,
        isLoop: request.redirect == request.address)
      redirects[Print.of(UInt64(request.file), request.redirect)] = chain
      return
    }
    guard request.operation >= 0 else { return }
    let text = Print.of(
      Print.of(UInt64(request.file), UInt64(request.operation)), request.variables)
    if let head = texts.removeValue(forKey: text), request.start <= requests[head].end + Self.delay
    {
      isJoined[index] = true
      adopt(request, at: head)
      if request.outcome == .askedForText { requests[head].outcome = .failed }
    } else if request.outcome == .askedForText {
      texts[text] = index
    }
  }

  private mutating func continueChain(
    _ chain: inout Chain, with request: LoggedRequest, _ log: TrafficLog
  ) {
    chain.end = request.end
    guard request.redirect != 0 else {
      if !chain.isLoop { adopt(request, at: chain.head) }
      return
    }
    requests[chain.head].end = request.end
    chain.addresses.append(request.address)
    if chain.addresses.contains(request.redirect) || chain.addresses.count > Self.longestChain {
      chain.isLoop = true
    }
    if log.excludedAddresses.contains(request.redirect) {
      isJoined[chain.head] = true
    } else {
      redirects[Print.of(UInt64(request.file), request.redirect)] = chain
    }
  }

  /// Assigns the result of the last request to the first.
  private mutating func adopt(_ last: LoggedRequest, at head: Int) {
    requests[head].outcome = last.outcome
    requests[head].end = last.end
    requests[head].rows = last.rows
    requests[head].own = last.own
    requests[head].bytes = last.bytes
    requests[head].showsJSON = last.showsJSON
    requests[head].isBodyMissing = last.isBodyMissing
    if last.operation >= 0, last.kind == .write { requests[head].kind = .write }
  }
}
