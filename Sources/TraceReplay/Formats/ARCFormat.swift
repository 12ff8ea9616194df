import Text

extension TraceFormat {
  static let arc = TraceFormat(
    name: "arc",
    summary:
      "The ARC traces: first block, number of blocks, ignored, request number; a get per block.",
    decoder: { LineDecoder<ARCLine>($0) }, encoder: { _ in ARCEncoder() })
}

/// Four integers per line: the first block, the number of blocks, an ignored one, and the number of the
/// request, which is not checked.
///
/// A block is 512 bytes, and each is a separate get. Fields are separated by blanks; more than four are an
/// error, so that a trace of another format is not misread.
///
/// Source: the traces of Megiddo & Modha, "ARC: a self-tuning, low overhead replacement cache", FAST 2003, as
/// described with their distribution.
enum ARCLine: TraceLine {
  static func limit(_ limits: TraceLimits) -> Int { 256 }

  /// The maximum number of blocks in a line: 512 MiB, far above a single disk request.
  static let blockLimit = 1 << 20

  static func append(
    _ text: Span<UInt8>, to batch: inout RecordBatch, options: ReadingOptions
  ) throws(RecordFault) {
    var numbers: [Int] = []
    var digits: [UInt8] = []
    func endField() throws(RecordFault) {
      guard !digits.isEmpty else { return }
      guard let number = DecimalDigits.whole(digits.span, upTo: Int.max) else {
        let name = names[min(numbers.count, 3)]
        throw .notFromZero(digits.span, column: name, .notANumber(column: name))
      }
      numbers.append(number)
      digits.removeAll(keepingCapacity: true)
    }
    for index in text.indices {
      if text[index] == UInt8(ascii: " ") || text[index] == UInt8(ascii: "\t") {
        try endField()
      } else {
        digits.append(text[index])
      }
    }
    try endField()
    guard !numbers.isEmpty else { return }
    guard numbers.count == 4 else {
      throw .fieldCount(expected: 4, found: numbers.count)
    }
    guard (1...blockLimit).contains(numbers[1]), numbers[0] <= Int.max - numbers[1] else {
      throw .outOfRange(column: names[1], limit: blockLimit)
    }
    if numbers[1] == 1 {
      batch.append(UInt64(numbers[0]))
    } else {
      batch.append(
        UInt64(numbers[0]), TraceRecord(count: numbers[1], isRun: true))
    }
  }

  private static let names = ["first block", "number of blocks", "ignored", "request number"]
}

/// Encodes one line per block.
struct ARCEncoder: TraceEncoder {
  private var requests = 0

  mutating func encode(
    _ key: TraceKey, _ record: TraceRecord, into bytes: inout [UInt8]
  ) throws(EncodingFault) {
    try record.requireNothingBesides([])
    let block = try key.integer(upTo: UInt64(Int.max) - 1)
    bytes.append(contentsOf: "\(block) 1 0 \(requests)\n".utf8)
    requests += 1
  }
}
