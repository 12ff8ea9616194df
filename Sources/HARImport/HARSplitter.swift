/// Splits a HAR file (HAR 1.2, section 2) into its entries while streaming.
///
/// It buffers one entry at a time, so its memory is independent of the file's size. It parses only the
/// outline: ``HAREntry`` parses an entry. O(bytes).
package struct HARSplitter {
  /// The maximum size of an entry, in bytes, without omitted texts.
  package static let maximumEntryBytes = 32 << 20
  /// The maximum length of a text in an entry, in bytes; `null` replaces a longer one.
  package static let maximumTextBytes = 8 << 20
  package static let maximumEntries = 1_000_000
  private static let maximumDepth = 200

  /// A part of the file.
  package enum Part: Hashable, Sendable {
    /// One entry as JSON, and whether a text was replaced.
    case entry([UInt8], isCut: Bool)
    /// The list `log.pages` as JSON.
    case pages([UInt8])
  }

  private enum Target { case entry, pages }

  private var depth = 0
  private var isInString = false
  private var isEscaped = false
  /// The last text outside of captured parts, as far as names require.
  private var lastText: [UInt8] = []
  /// Whether the next value is that of the member `log`, and the present member of it.
  private var isInLog = false
  private var member: [UInt8] = []
  private var isInEntries = false
  private var hasEntries = false
  private var hasPages = false
  private var isOver = false

  private var target: Target?
  private var captured: [UInt8] = []
  /// The start of the present text in the captured part, including its quote.
  private var textStart = 0
  private var isTextCut = false
  private var isCut = false
  /// The number of passed entries.
  package private(set) var count = 0

  package init() {}

  /// Processes the next bytes of the file.
  package mutating func consume(
    _ bytes: [UInt8], _ body: (Part) throws(HARImportError) -> Void
  ) throws(HARImportError) {
    var index = 0
    var captureStart = target == nil ? nil : Optional(0)
    while index < bytes.count {
      if isInString {
        index = passString(bytes, from: index, captureStart: &captureStart)
        continue
      }
      let byte = bytes[index]
      switch byte {
      case UInt8(ascii: "\""):
        isInString = true
        lastText.removeAll(keepingCapacity: true)
        if let start = captureStart {
          captured += bytes[start..<index]
          textStart = captured.count
          captureStart = index
        }
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        try open(byte)
        if target != nil, captureStart == nil { captureStart = index }
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        try close()
        if let start = captureStart, isWhole {
          captured += bytes[start...index]
          captureStart = nil
          try handOver(body)
        }
      case UInt8(ascii: ":"):
        if target == nil {
          if depth == 1 { isInLog = lastText.elementsEqual("log".utf8) }
          if depth == 2 { member = lastText }
        }
      case 0x20, 0x09, 0x0A, 0x0D, UInt8(ascii: ","): break
      default:
        if depth == 0 { throw notHAR }
      }
      index += 1
    }
    if let start = captureStart {
      if !isTextCut { captured += bytes[start...] }
      try checkSize()
    }
  }

  /// Skips a text to the end of the bytes.
  private mutating func passString(
    _ bytes: [UInt8], from start: Int, captureStart: inout Int?
  ) -> Int {
    var index = start
    while index < bytes.count {
      let byte = bytes[index]
      index += 1
      if isEscaped {
        isEscaped = false
      } else if byte == UInt8(ascii: "\\") {
        isEscaped = true
      } else if byte == UInt8(ascii: "\"") {
        isInString = false
        break
      }
      if target == nil, depth <= 2, lastText.count < 16 { lastText.append(byte) }
    }
    if let begin = captureStart, !isTextCut {
      captured += bytes[begin..<index]
      captureStart = index
      if captured.count - textStart > Self.maximumTextBytes {
        captured.removeSubrange(textStart...)
        captured += Array("null".utf8)
        (isTextCut, isCut) = (true, true)
      }
    }
    if isTextCut { captureStart = index }
    if !isInString { isTextCut = false }
    return index
  }

  private mutating func open(_ byte: UInt8) throws(HARImportError) {
    guard !isOver, depth > 0 || byte == UInt8(ascii: "{") else { throw notHAR }
    if target == nil {
      let isList = byte == UInt8(ascii: "[")
      if depth == 2, isInLog, isList, member.elementsEqual("entries".utf8) {
        guard !hasEntries else {
          throw HARImportError("`log.entries` occurs twice", "export the file again")
        }
        (hasEntries, isInEntries) = (true, true)
      } else if depth == 2, isInLog, isList, member.elementsEqual("pages".utf8) {
        guard !hasPages else {
          throw HARImportError("`log.pages` occurs twice", "export the file again")
        }
        hasPages = true
        target = .pages
      } else if depth == 3, isInEntries, !isList {
        target = .entry
      }
    }
    depth += 1
    guard depth <= Self.maximumDepth else {
      throw HARImportError(
        entry: target == .entry ? count + 1 : nil,
        "the nesting is deeper than \(Self.maximumDepth)", "remove what no browser writes")
    }
  }

  private mutating func close() throws(HARImportError) {
    guard depth > 0 else { throw notHAR }
    depth -= 1
    if depth == 2, target == nil { isInEntries = false }
    if depth == 0 { isOver = true }
  }

  /// Whether the captured part is now complete.
  private var isWhole: Bool {
    switch target {
    case .entry: depth == 3
    case .pages: depth == 2
    case nil: false
    }
  }

  private mutating func handOver(
    _ body: (Part) throws(HARImportError) -> Void
  ) throws(HARImportError) {
    try checkSize()
    var bytes: [UInt8] = []
    swap(&bytes, &captured)
    defer {
      bytes.removeAll(keepingCapacity: bytes.capacity <= 1 << 20)
      swap(&bytes, &captured)
      target = nil
      isCut = false
    }
    guard target == .entry else { return try body(.pages(bytes)) }
    count += 1
    guard count <= Self.maximumEntries else {
      throw HARImportError(
        "there are more than \(Self.maximumEntries) entries", "import fewer at a time")
    }
    try body(.entry(bytes, isCut: isCut))
  }

  private func checkSize() throws(HARImportError) {
    guard captured.count > Self.maximumEntryBytes else { return }
    throw HARImportError(
      entry: target == .entry ? count + 1 : nil,
      "it is larger than \(Self.maximumEntryBytes) bytes, the most that is read",
      "record without it, or remove it")
  }

  package func finish() throws(HARImportError) {
    guard isOver else {
      throw depth == 0
        ? notHAR
        : HARImportError(
          "the file is cut off\(target == .entry ? " in entry \(count + 1)" : "")",
          "export it again, and wait until it is written")
    }
    guard hasEntries else { throw notHAR }
  }

  private var notHAR: HARImportError {
    HARImportError(
      "this is not a HAR file", "export one: in the browser's network panel, \"Save all as HAR\"")
  }
}
