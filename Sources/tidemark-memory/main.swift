import CommandLineInterface
import Foundation

// Measures the memory of caches and prints the rows of a `MemoryTask`.
//
// It is synchronous: the threads of an asynchronous `main` allocate and free a few bytes.
//
// Exit codes: 0 success; 2 invalid arguments; 4 no figures, because jemalloc is not the allocator of this
// process; 70 internal error.
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
