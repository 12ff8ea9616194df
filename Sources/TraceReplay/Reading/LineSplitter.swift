/// Cuts bytes into lines, which end in LF or CRLF, holding no more than the beginning of one.
struct LineSplitter: Sendable {
  private let limit: Int
  /// The beginning of a line whose end has not arrived.
  private var pending: [UInt8] = []
  /// The line that the next byte belongs to, counted from 1.
  private var line = 1

  /// - Parameter limit: the most bytes of a line, without its end.
  init(limit: Int) {
    self.limit = limit
  }

  /// Hands over each line that is complete, without its end, with its number; blank ones, too.
  mutating func consume(
    _ bytes: Span<UInt8>, _ body: (Span<UInt8>, Int) throws(TraceError) -> Void
  ) throws(TraceError) {
    var start = 0
    for index in bytes.indices where bytes[index] == UInt8(ascii: "\n") {
      let part = bytes.extracting(start..<index)
      if pending.isEmpty {
        try take(part, body)
      } else {
        try hold(part)
        try takePending(body)
      }
      line += 1
      start = index + 1
    }
    try hold(bytes.extracting(start..<bytes.count))
  }

  /// The input has ended: what is pending is a line, if it is anything.
  mutating func finish(
    _ body: (Span<UInt8>, Int) throws(TraceError) -> Void
  ) throws(TraceError) {
    if !pending.isEmpty { try takePending(body) }
  }

  private mutating func hold(_ part: Span<UInt8>) throws(TraceError) {
    // One more than a line: the carriage return of its end may be among them.
    guard pending.count + part.count <= limit + 1 else {
      throw .lineTooLong(line: line, limit: limit)
    }
    for index in part.indices { pending.append(part[index]) }
  }

  private mutating func takePending(
    _ body: (Span<UInt8>, Int) throws(TraceError) -> Void
  ) throws(TraceError) {
    let whole = pending
    pending.removeAll(keepingCapacity: true)
    try take(whole.span, body)
  }

  private func take(
    _ text: Span<UInt8>, _ body: (Span<UInt8>, Int) throws(TraceError) -> Void
  ) throws(TraceError) {
    var end = text.count
    if end > 0, text[end - 1] == UInt8(ascii: "\r") { end -= 1 }
    guard end <= limit else { throw .lineTooLong(line: line, limit: limit) }
    try body(text.extracting(0..<end), line)
  }
}
