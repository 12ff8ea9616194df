import CacheModel
import Dispatch
import NormalizedCache
import RecordingCodec
import Synchronization

/// Takes happenings from the cache, and writes them down on a queue of its own.
///
/// What the cache waits for is the copying of a happening into memory, and nothing else.
final class SessionWriter: CacheRecorder {
  private let buffer: Locked<HappeningBuffer>
  private let written = Locked(RecorderReport())
  private let queue = DispatchQueue(label: "tidemark.recorder", qos: .utility)
  /// Touched on the queue alone.
  private let pages: Pages
  /// How long happenings are gathered before they are written.
  private let delay: DispatchTimeInterval

  init(
    _ outline: SessionOutline, _ options: RecorderOptions, _ file: sending any RecordingFile,
    delay: DispatchTimeInterval = .milliseconds(100)
  ) {
    buffer = Locked(HappeningBuffer(capacity: max(16, options.bufferedHappenings)))
    pages = Pages(outline, options, file)
    self.delay = delay
  }

  /// What was done so far.
  var report: RecorderReport {
    var report = written.withLock { $0 }
    report.lost += buffer.withLock { $0.lostInAll }
    return report
  }

  func note(_ happening: CacheHappening, at now: Instant) -> Bool {
    follow(buffer.withLock { $0.append(happening, at: now) })
  }

  func noteChange(of row: RecordedRow, at place: EventPlace?, _ now: Instant) -> Bool {
    follow(buffer.withLock { $0.append(row, at: place, now) })
  }

  func note(_ places: [RecordedPosition]) -> Bool { follow(buffer.withLock { $0.append(places) }) }

  /// Calls the writer; returns whether the cache is to tell what it holds.
  private func follow(_ call: HappeningBuffer.Call) -> Bool {
    switch call {
    case .none: break
    case .soon: queue.asyncAfter(deadline: .now() + delay) { [self] in drain() }
    case .now: queue.async { [self] in drain() }
    }
    // Read without being written most of the time; the lock is the writer's for an instant.
    guard pages.mayBeFull.load(ordering: .relaxed) else { return false }
    return pages.mayBeFull.exchange(false, ordering: .relaxed)
  }

  /// Returns when all that was noted before is in the file, or is lost.
  ///
  /// - Parameter isLast: whether nothing more will be noted.
  func flush(isLast: Bool = false) async {
    await withCheckedContinuation { continuation in
      queue.async { [self] in
        drain(isLast: isLast)
        continuation.resume()
      }
    }
  }

  private func drain(isLast: Bool = false) {
    var happenings = Happenings()
    swap(&happenings, &pages.emptied)
    buffer.withLock { $0.exchange(&happenings) }
    if !happenings.isEmpty || isLast {
      let report = pages.write(happenings, written.withLock { $0 }, isLast: isLast)
      written.withLock { $0 = report }
    }
    happenings.removeAll()
    swap(&happenings, &pages.emptied)
  }
}

/// The files of a session, one after the other; touched on one queue alone.
private final class Pages: @unchecked Sendable {
  /// Whether the file is as long as it may be.
  let mayBeFull = Atomic(false)
  private let outline: SessionOutline
  private let options: RecorderOptions
  private let file: any RecordingFile
  private var lines: SessionLines?
  /// Room for the next happenings.
  var emptied = Happenings()
  private var length = 0
  /// Whether the present file exists, with its first line.
  private var isBegun = false
  /// How many lines of the file were handed to it.
  private var written = 0
  /// Happenings since bytes were last handed to the file.
  private var unsaved = 0
  /// Happenings that could not be written, which no file says yet.
  private var unwritten = 0
  /// Whether the file lacks lines, so that no more are written to it; and how often it was given more since.
  private var isBroken = false
  private var attempts = 0

  init(_ outline: SessionOutline, _ options: RecorderOptions, _ file: any RecordingFile) {
    self.outline = outline
    self.options = options
    self.file = file
  }

  func write(
    _ happenings: Happenings, _ former: RecorderReport, isLast: Bool
  ) -> RecorderReport {
    var report = former
    happenings.forEach { at, happening in
      switch happening {
      case .told(.holds(let queries)):
        if !isBroken { lines?.writeUnanswered() }
        append(&report)
        begin(holding: queries, at: at)
      case .told(let happening):
        if isBroken || isOverfull {
          unwritten += 1
          report.lost += 1
          return
        }
        if case .held = happening {} else { unsaved += 1 }
        let before = lines?.withoutPlace ?? 0
        lines?.write(happening, at: at)
        report.withoutPlace += (lines?.withoutPlace ?? 0) - before
      case .lost(let count): if !isBroken { lines?.gap(count, .buffer, at: at) }
      }
    }
    if isLast, !isBroken { lines?.writeUnanswered() }
    append(&report)
    if isBroken {
      attempts += 1
      // Less and less often, since the cache must tell all that it holds.
      if attempts & (attempts - 1) == 0 || attempts % 64 == 0 {
        mayBeFull.store(true, ordering: .relaxed)
      }
    }
    return report
  }

  /// Whether the cache has not come to begin another file for so long that this one is too long.
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
      // Later lines would speak of what these have introduced, so the next file begins again.
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
