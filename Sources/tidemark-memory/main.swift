import CommandLineInterface
import Foundation
import RealTime

// Counts the memory of caches and prints the rows that `MemoryTask` names.
//
// Synchronous: the threads of an asynchronous `main` come and go, and their few bytes with them.
//
// Exit codes: 0 counted; 2 wrong arguments; 4 no figures, because jemalloc does not serve this
// process; 70 internal.
func end(_ error: Any, with status: Int32) -> Never {
  FileHandle.standardError.write(Data("tidemark-memory: \(error)\n".utf8))
  exit(status)
}

do {
  let task = try MemoryTask(arguments: Array(CommandLine.arguments.dropFirst()))
  print(try task.output(counter: JemallocCounter.init), terminator: "")
} catch let error as MemoryTaskError {
  end(error, with: 2)
} catch let error as CommandFailure {
  end(error.message, with: error.status.rawValue)
} catch let error as JemallocError {
  end(error, with: 4)
} catch {
  end(error, with: 70)
}
