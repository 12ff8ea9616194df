/// Commands that have another name than in earlier versions.
enum RenamedCommands {
  /// What now stands for a command; `nil`: there never was one of that name.
  static func newName(of command: String) -> String? {
    switch command {
    case "memory", "scale", "soak": "tidemark measure \(command)"
    case "peers": "tidemark measure alternatives"
    case "replay", "curve", "convert": "tidemark trace \(command)"
    case "bench-replay": "tidemark trace bench"
    case "trend": "tidemark report --trend"
    case "bench-designs": "tidemark measure designs"
    case "findings": "make findings"
    default: nil
    }
  }
}
