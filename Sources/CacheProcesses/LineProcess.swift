import CacheSimulation
import Foundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A process that reads and writes lines, in its own process group, which ends when this value is released,
/// or when this process ends for any reason.
///
/// Its standard error is written to an unnamed file, and truncated when it gets long.
final class LineProcess {
  private let group: ProcessGroup
  private let toProcess: Int32
  private let fromProcess: Int32
  private let complaints: Int32
  private let statusOfCommand: Int32
  /// Closed when this process ends: a watcher at the other end then ends the group.
  private let lifeline: Int32
  /// A buffer for its output, and the unread part.
  private var space = [UInt8](repeating: 0, count: 1 << 16)
  private var unread = 0..<0
  private var isEnded = false
  private var memory: GroupMemory
  private let limits: CacheLimits

  /// Runs the command with the first descriptors, reports its status on the sixth, and ends the group when
  /// the other end of the third is closed.
  ///
  /// A background command has no input unless it is given one by another number.
  private static let guardian = """
    exec 4<&0 5>&1 </dev/null >/dev/null; ulimit -f 65536
    {
      sh -c "$1" <&4 >&5 3<&- 4<&- 5>&- 6>&- &
      exec 3<&- 4<&- 5>&-; wait $!; echo $? >&6
    } &
    exec 4<&- 5>&- 6>&-; read -r line <&3; kill -KILL 0
    """

  /// - Throws: ``CacheFault`` if it cannot be started.
  init(command: String, limits: CacheLimits) throws(CacheFault) {
    self.limits = limits
    // A process that ends early must not end this one by its pipe.
    signal(SIGPIPE, SIG_IGN)
    let (input, output, life) = (try Self.pipe(), try Self.pipe(), try Self.pipe())
    let status = try Self.pipe()
    complaints = try Self.fileWithoutName()
    #if canImport(Glibc)
      var actions = posix_spawn_file_actions_t()
      var attributes = posix_spawnattr_t()
    #else
      var actions: posix_spawn_file_actions_t?
      var attributes: posix_spawnattr_t?
    #endif
    posix_spawn_file_actions_init(&actions)
    posix_spawnattr_init(&attributes)
    defer {
      posix_spawn_file_actions_destroy(&actions)
      posix_spawnattr_destroy(&attributes)
      for end in [input.read, output.write, life.read, status.write] { close(end) }
    }
    posix_spawn_file_actions_adddup2(&actions, input.read, 0)
    posix_spawn_file_actions_adddup2(&actions, output.write, 1)
    posix_spawn_file_actions_adddup2(&actions, complaints, 2)
    posix_spawn_file_actions_adddup2(&actions, life.read, 3)
    posix_spawn_file_actions_adddup2(&actions, status.write, 6)
    // A pool's threads block signals, which a process inherits: its own signal mask must be empty.
    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setpgroup(&attributes, 0)
    posix_spawnattr_setflags(
      &attributes, Int16(POSIX_SPAWN_SETPGROUP) | Int16(POSIX_SPAWN_SETSIGMASK))
    let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
    let words = ["sh", "-c", Self.guardian, "sh", command]
    let environment = ["PATH=\(path)", "TZ=UTC", "LANG=C.UTF-8"]
    var process: pid_t = 0
    let error = withCStrings(words) { words in
      withCStrings(environment) {
        posix_spawn(&process, "/bin/sh", &actions, &attributes, words, $0)
      }
    }
    group = ProcessGroup(number: process)
    memory = GroupMemory(of: group)
    toProcess = input.write
    fromProcess = output.read
    lifeline = life.write
    statusOfCommand = status.read
    guard error == 0 else {
      isEnded = true
      throw CacheFault(.notStarted, String(cString: strerror(error)))
    }
    for end in [toProcess, fromProcess] {
      _ = fcntl(end, F_SETFL, fcntl(end, F_GETFL) | O_NONBLOCK)
    }
  }

  deinit {
    end()
    for end in [toProcess, fromProcess, complaints, statusOfCommand] { close(end) }
  }

  /// Ends the whole group, and waits until none of its processes runs.
  func end() {
    guard !isEnded else { return }
    isEnded = true
    kill(-group.number, SIGKILL)
    close(lifeline)
    var status: Int32 = 0
    while waitpid(group.number, &status, 0) < 0, errno == EINTR {}
    // A killed process runs until it is scheduled, and only one process has been waited for.
    let deadline = ContinuousClock.now.advanced(by: .seconds(limits.endSeconds))
    while group.isRunning, ContinuousClock.now < deadline { usleep(500) }
  }

  // MARK: Lines

  /// - Throws: ``CacheFault`` if it does not accept the line in time, or has ended.
  func send(_ line: [UInt8], by deadline: ContinuousClock.Instant) throws(CacheFault) {
    var sent = 0
    while sent < line.count {
      let count = line[sent...].withUnsafeBytes { write(toProcess, $0.baseAddress, $0.count) }
      if count > 0 {
        sent += count
      } else if count < 0, errno == EAGAIN {
        try wait(for: toProcess, POLLOUT, by: deadline)
      } else if !(count < 0 && errno == EINTR) {
        throw ended()
      }
    }
  }

  /// Returns the next line, without its end.
  ///
  /// - Throws: ``CacheFault`` if there is none in time, or it is too long.
  func line(by deadline: ContinuousClock.Instant) throws(CacheFault) -> ArraySlice<UInt8> {
    var searched = 0
    while true {
      if let end = space[unread].dropFirst(searched).firstIndex(of: UInt8(ascii: "\n")) {
        defer { unread = end + 1..<unread.upperBound }
        return space[unread.lowerBound..<end]
      }
      guard unread.count <= limits.lineBytes else {
        throw CacheFault(.outputTooLong, "more than \(limits.lineBytes) bytes")
      }
      searched = unread.count
      makeRoom()
      try read(by: deadline)
    }
  }

  /// Moves unread bytes to the front of the buffer, to make space after them.
  private func makeRoom() {
    if unread.lowerBound > 0 {
      space.withUnsafeMutableBytes {
        $0.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[unread]))
      }
      unread = 0..<unread.count
    }
    if unread.count == space.count {
      space.append(contentsOf: repeatElement(0, count: space.count))
    }
  }

  /// How long this thread spins for an answer: waking takes longer than most answers of a compiled cache.
  private static let patience = Duration.microseconds(30)

  private func read(by deadline: ContinuousClock.Instant) throws(CacheFault) {
    try check(by: deadline)
    let sleepsAt = ContinuousClock.now.advanced(by: Self.patience)
    while true {
      let (count, error) = space.withUnsafeMutableBytes { space in
        let room = UnsafeMutableRawBufferPointer(rebasing: space[unread.upperBound...])
        #if canImport(Glibc)
          return (Glibc.read(fromProcess, room.baseAddress, room.count), errno)
        #else
          return (Darwin.read(fromProcess, room.baseAddress, room.count), errno)
        #endif
      }
      if count > 0 {
        unread = unread.lowerBound..<unread.upperBound + count
        return
      }
      guard count < 0, error == EAGAIN || error == EINTR else {
        throw ended()
      }
      if ContinuousClock.now >= sleepsAt { try wait(for: fromProcess, POLLIN, by: deadline) }
    }
  }

  private func wait(
    for descriptor: Int32, _ events: Int32, by deadline: ContinuousClock.Instant
  ) throws(CacheFault) {
    while true {
      let left = min(try check(by: deadline), GroupMemory.interval) / .milliseconds(1)
      var waited = pollfd(fd: descriptor, events: Int16(events), revents: 0)
      if poll(&waited, 1, Int32(left.rounded(.up))) != 0 { return }
    }
  }

  /// - Returns: the remaining time.
  /// - Throws: ``CacheFault`` if there is none, or the group uses too much memory.
  @discardableResult
  private func check(by deadline: ContinuousClock.Instant) throws(CacheFault) -> Duration {
    let now = ContinuousClock.now
    if let bytes = memory.bytesIfDue(at: now), bytes > limits.memoryBytes {
      throw CacheFault(
        .tooMuchMemory, "\(bytes >> 20) MiB are resident, \(limits.memoryBytes >> 20) allowed")
    }
    guard now < deadline else { throw CacheFault(.silent, lastComplaint) }
    return now.duration(to: deadline)
  }

  // MARK: End

  /// The exit status of the command's shell, once it is known.
  private(set) var status: Int?

  /// Whether the shell has found no program, or none that can be executed.
  var isWithoutProgram: Bool { status == 126 || status == 127 }

  /// Returns the fault of an ended process, with its status and last error output.
  private func ended() -> CacheFault {
    var waited = pollfd(fd: statusOfCommand, events: Int16(POLLIN), revents: 0)
    // The status is reported once.
    if status == nil, poll(&waited, 1, Int32(limits.endSeconds * 1_000)) > 0 {
      var text = [UInt8](repeating: 0, count: 16)
      let count = text.withUnsafeMutableBytes { space in
        #if canImport(Glibc)
          return Glibc.read(statusOfCommand, space.baseAddress, space.count)
        #else
          return Darwin.read(statusOfCommand, space.baseAddress, space.count)
        #endif
      }
      status = Int(
        String(
          decoding: text.prefix(max(0, count)).prefix { $0 > UInt8(ascii: " ") }, as: UTF8.self))
    }
    let complaint = lastComplaint
    return CacheFault(
      .ended,
      [status.map { Self.words(ofStatus: $0) } ?? "", complaint].filter { !$0.isEmpty }
        .joined(separator: "; "))
  }

  /// A shell adds 128 to the number of the signal that ended a program.
  private static func words(ofStatus status: Int) -> String {
    "with status \(status)" + (status > 128 ? ", as after signal \(status - 128)" : "")
  }

  /// The last error output, on one line; of a stack trace, its message.
  var lastComplaint: String {
    let length = lseek(complaints, 0, SEEK_END)
    let start = max(0, length - 16_000)
    var text = [UInt8](repeating: 0, count: Int(length - start))
    let count = text.withUnsafeMutableBytes { pread(complaints, $0.baseAddress, $0.count, start) }
    let lines = String(decoding: text.prefix(max(0, count)), as: UTF8.self)
      .split(whereSeparator: \.isNewline)
    let shown = Self.message(in: lines)
    return shown.isEmpty ? "" : "it wrote: \(shown.joined(separator: " / "))"
  }

  /// Returns the lines with the error message.
  ///
  /// Frames of a stack trace are indented, and its message is not: below them with Python, above them in most
  /// other languages. Other unindented lines repeat source code or name a version.
  private static func message(in lines: [Substring]) -> [Substring] {
    let margin = lines.filter { $0.first.map { $0 != " " && $0 != "\t" } ?? false }
    guard margin.count < lines.count else { return lines.suffix(3) }
    let words = ["error", "exception", "panic"]
    let message = margin.last { line in
      let text = line.lowercased()
      return words.contains { text.contains($0) }
    }
    return message.map { [$0] } ?? margin.suffix(3)
  }

  // MARK: Descriptors

  /// Both ends are closed in every started process, except those passed to it.
  private static func pipe() throws(CacheFault) -> (read: Int32, write: Int32) {
    var ends: [Int32] = [-1, -1]
    #if canImport(Glibc)
      let status = Glibc.pipe(&ends)
    #else
      let status = Darwin.pipe(&ends)
    #endif
    guard status == 0 else { throw CacheFault(.notStarted, String(cString: strerror(errno))) }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    return (ends[0], ends[1])
  }

  private static func fileWithoutName() throws(CacheFault) -> Int32 {
    let folder = FileManager.default.temporaryDirectory.path
    var path = Array("\(folder)/tidemark-cache-XXXXXX".utf8CString)
    let file = mkstemp(&path)
    guard file >= 0 else { throw CacheFault(.notStarted, String(cString: strerror(errno))) }
    unlink(path)
    _ = fcntl(file, F_SETFD, FD_CLOEXEC)
    return file
  }
}

/// Calls `body` with null-terminated C strings: an array that ends with a null.
private func withCStrings<Result>(
  _ strings: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
) -> Result {
  let copies = strings.map { strdup($0) }
  defer { for copy in copies { free(copy) } }
  return body(copies + [nil])
}
