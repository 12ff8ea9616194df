package import CacheProcesses

extension CacheCommand {
  /// Reads what `--cache` was given.
  package init(option text: String) throws(CommandFailure) {
    guard let command = CacheCommand(text) else {
      throw CommandFailure(
        .input,
        "--cache takes NAME=COMMAND, not \"\(text)\"; a name has letters, digits, -, _ and .")
    }
    self = command
  }
}
