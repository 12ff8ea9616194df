/// Commands that have another name than in earlier versions.
enum RenamedCommands {
  /// The words that now stand for a command; `nil`: there never was one of that name.
  static func newName(of command: String) -> String? {
    switch command {
    case "memory", "scale", "soak": "measure \(command)"
    case "peers": "measure alternatives"
    case "replay", "curve", "convert": "trace \(command)"
    case "bench-replay": "trace bench"
    case "trend": "report --trend"
    case "bench-designs": "measure designs"
    default: nil
    }
  }
}
