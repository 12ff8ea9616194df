/// One key per line: the bytes between line ends, which are LF or CRLF.
///
/// Blank lines are skipped.
struct TextDecoder: TraceDecoder {
  private let limit: Int
  private var line = 1
  /// The beginning of a line whose end has not arrived.
  private var pending: [UInt8] = []

  init(limits: TraceLimits) {
    limit = limits.keyBytes
  }

  mutating func consume(_ bytes: Span<UInt8>, into keys: inout KeyInterner) throws(TraceError) {
    var start = 0
    for index in bytes.indices where bytes[index] == UInt8(ascii: "\n") {
      let part = bytes.extracting(start..<index)
      if pending.isEmpty {
        try take(part, into: &keys)
      } else {
        try hold(part)
        try takePending(into: &keys)
      }
      line += 1
      start = index + 1
    }
    try hold(bytes.extracting(start..<bytes.count))
  }

  mutating func finish(into keys: inout KeyInterner) throws(TraceError) {
    try takePending(into: &keys)
  }

  private mutating func hold(_ part: Span<UInt8>) throws(TraceError) {
    // One more than a key: the carriage return of a line end may be among them.
    guard pending.count + part.count <= limit + 1 else {
      throw .lineTooLong(line: line, limit: limit)
    }
    for index in part.indices { pending.append(part[index]) }
  }

  private mutating func takePending(into keys: inout KeyInterner) throws(TraceError) {
    let whole = pending
    pending.removeAll(keepingCapacity: true)
    try take(whole.span, into: &keys)
  }

  private func take(_ text: Span<UInt8>, into keys: inout KeyInterner) throws(TraceError) {
    var end = text.count
    if end > 0, text[end - 1] == UInt8(ascii: "\r") { end -= 1 }
    guard end > 0 else { return }
    guard end <= limit else { throw .lineTooLong(line: line, limit: limit) }
    try keys.append(text.extracting(0..<end))
  }
}
