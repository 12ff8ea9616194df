import Foundation

/// What runs on this machine, as `ps` has it.
enum RunningProcesses {
  private static let list = "/bin/ps"
  static var areListed: Bool { FileManager.default.isExecutableFile(atPath: list) }

  /// How many processes have a text in their command lines.
  static func count(with mark: String) throws -> Int {
    let process = Process()
    let output = Pipe()
    process.executableURL = URL(fileURLWithPath: list)
    process.arguments = ["-eo", "stat,args"]
    process.standardOutput = output
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    return text.split(separator: "\n").count { $0.contains(mark) && !$0.hasPrefix("Z") }
  }
}
