import Foundation
import Measurement

// Counts the memory of a filled cache and prints the report that `MemoryReport` describes.
//
// Exit codes: 0 counted; 4 no figures, because jemalloc does not serve this process; 70 internal.
do {
  let counter = try JemallocCounter()
  print(try MemoryMeasurement().run(counter: counter).text, terminator: "")
} catch let error as JemallocError {
  FileHandle.standardError.write(Data("tidemark-memory: \(error)\n".utf8))
  exit(4)
} catch {
  FileHandle.standardError.write(Data("tidemark-memory: internal error: \(error)\n".utf8))
  exit(70)
}
