import CacheModel
import Dispatch
import NormalizedCache
import RecordingCodec
import Synchronization

/// Takes operations from the cache, and writes them on its own queue.
///
/// The cache waits only while an operation is copied into memory.
final class SessionWriter: CacheRecorder {
  private let buffer: Locked<OperationBuffer>
  private let written = Locked(RecorderReport())
  private let queue = DispatchQueue(label: "tidemark.recorder", qos: .utility)
  /// Used on the queue alone.
  private let pages: Pages
  /// How long operations are gathered before they are written.
  private static let delay = DispatchTimeInterval.milliseconds(100)

  init(
    _ outline: SessionOutline, _ options: RecorderOptions, _ file: sending any RecordingFile
  ) {
    buffer = Locked(OperationBuffer(capacity: max(16, options.bufferedOperations)))
    pages = Pages(outline, options, file)
  }

  /// How much was written and lost so far.
  var report: RecorderReport {
    var report = written.withLock { $0 }
    report.lost += buffer.withLock { $0.lostInAll }
    return report
  }

  func note(_ operation: RecordedOperation, at now: Instant) -> Bool {
    follow(buffer.withLock { $0.append(operation, at: now) })
  }

  func noteChange(of row: RecordedRow, at place: EventPlace?, _ now: Instant) -> Bool {
    follow(buffer.withLock { $0.append(row, at: place, now) })
  }

  func note(_ places: [RecordedPosition]) -> Bool { follow(buffer.withLock { $0.append(places) }) }

  /// Calls the writer; returns whether the cache must send its content.
  private func follow(_ call: OperationBuffer.Call) -> Bool {
    switch call {
    case .none: break
    case .soon: queue.asyncAfter(deadline: .now() + Self.delay) { [self] in drain() }
    case .now: queue.async { [self] in drain() }
    }
    // Usually only read; the writer has the lock for an instant.
    guard pages.mayBeFull.load(ordering: .relaxed) else { return false }
    return pages.mayBeFull.exchange(false, ordering: .relaxed)
  }

  /// Returns when all earlier operations are in the file, or are lost.
  func flush(isLast: Bool = false) async {
    await withCheckedContinuation { continuation in
      queue.async { [self] in
        drain(isLast: isLast)
        continuation.resume()
      }
    }
  }

  private func drain(isLast: Bool = false) {
    var operations = RecordedOperations()
    swap(&operations, &pages.emptied)
    buffer.withLock { $0.exchange(&operations) }
    if !operations.isEmpty || isLast {
      let report = pages.write(operations, written.withLock { $0 }, isLast: isLast)
      written.withLock { $0 = report }
    }
    operations.removeAll()
    swap(&operations, &pages.emptied)
  }
}

/// The files of a session, one after the other; used on one queue alone.
private final class Pages: @unchecked Sendable {
  /// Whether the file has its greatest length.
  let mayBeFull = Atomic(false)
  private let outline: SessionOutline
  private let options: RecorderOptions
  private let file: any RecordingFile
  private var lines: SessionLines?
  /// Room for the next operations.
  var emptied = RecordedOperations()
  private var length = 0
  /// Whether the present file exists, with its first line.
  private var isBegun = false
  /// How many lines were written to the file.
  private var written = 0
  /// Operations since bytes were last written to the file.
  private var unsaved = 0
  /// Operations that could not be written, and are in no file's count yet.
  private var unwritten = 0
  /// Whether the file lacks lines, so that no more are written to it; and how many attempts there were since.
  private var isBroken = false
  private var attempts = 0

  init(_ outline: SessionOutline, _ options: RecorderOptions, _ file: any RecordingFile) {
    self.outline = outline
    self.options = options
    self.file = file
  }

  func write(
    _ operations: RecordedOperations, _ former: RecorderReport, isLast: Bool
  ) -> RecorderReport {
    var report = former
    operations.forEach { at, operation in
      switch operation {
      case .told(.holds(let queries)):
        if !isBroken { lines?.writeUnanswered() }
        append(&report)
        begin(holding: queries, at: at)
      case .told(let operation):
        if isBroken || isOverfull {
          unwritten += 1
          report.lost += 1
          return
        }
        if case .held = operation {} else { unsaved += 1 }
        let before = lines?.withoutPlace ?? 0
        lines?.write(operation, at: at)
        report.withoutPlace += (lines?.withoutPlace ?? 0) - before
      case .lost(let count): if !isBroken { lines?.gap(count, .buffer, at: at) }
      }
    }
    if isLast, !isBroken { lines?.writeUnanswered() }
    append(&report)
    if isBroken {
      attempts += 1
      // Less and less often, since the cache must send all of its content.
      if attempts & (attempts - 1) == 0 || attempts % 64 == 0 {
        mayBeFull.store(true, ordering: .relaxed)
      }
    }
    return report
  }

  /// Whether this file is too long, since the cache has not begun another one.
  private var isOverfull: Bool { length > options.maximumBytes + options.maximumBytes / 8 }

  private func begin(holding queries: Int, at now: Instant) {
    lines = SessionLines(outline, options, begun: now, held: queries)
    lines?.begin()
    if unwritten > 0 { lines?.gap(unwritten, .file, at: now) }
    isBroken = false
    isBegun = false
    written = 0
    length = 0
  }

  private func append(_ report: inout RecorderReport) {
    guard !isBroken, var lines else { return }
    let count = lines.lineCount
    let bytes = lines.take()
    let header = lines.header
    do throws(RecordingFileError) {
      if !isBegun {
        try file.begin(keeping: max(1, options.files) - 1)
        report.files += 1
        isBegun = true
        try file.append(header)
        length = header.count
      }
      if !bytes.isEmpty {
        try file.append(bytes)
        length += bytes.count
        report.lines += count - written
      }
      try file.replaceBeginning(header)
      unwritten = 0
      attempts = 0
      report.error = nil
    } catch {
      report.error = error.description
      // Later lines would refer to objects of the lost lines, so the next file begins again.
      report.lost += unsaved
      unwritten += unsaved
      isBroken = true
    }
    unsaved = 0
    written = count
    self.lines = lines
    report.bytes = length
    if length >= options.maximumBytes { mayBeFull.store(true, ordering: .relaxed) }
  }
}
