import CommandLineInterface
import Foundation
import Processes
import Reporting

/// What counts depend on besides the sources: with the same of it, the same build counts the same.
struct CountConditions: Hashable {
  var facts: [Manifest.Fact]

  /// Those of this machine; what it does not tell is left out.
  static func current() async -> CountConditions {
    var facts: [Manifest.Fact] = []
    func ask(_ name: String, _ tool: String, _ arguments: String...) async {
      let run = ProcessRun(tool: tool, arguments, deadline: .seconds(60))
      guard let output = try? await run.output(),
        let line = output.split(separator: "\n").first(where: { !$0.isEmpty })
      else { return }
      facts.append(Manifest.Fact(name, String(line)))
    }
    await ask("swift", "swift", "--version")
    await ask("c_library", "getconf", "GNU_LIBC_VERSION")
    await ask("valgrind", "valgrind", "--version")
    await ask("architecture", "uname", "-m")
    if let allocator = try? await MemoryRun().allocator() {
      facts.append(Manifest.Fact("allocator", allocator))
    }
    // The C library chooses its fastest routines by it.
    let processor = (try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8)) ?? ""
    let flags = processor.split(separator: "\n").first { $0.hasPrefix("flags") }
    let extensions = (flags ?? "").split(separator: " ").filter { ["avx", "avx2"].contains($0) }
    facts.append(Manifest.Fact("vector_extensions", extensions.joined(separator: " ")))
    return CountConditions(facts: facts)
  }

  static let names: Set = [
    "swift", "c_library", "valgrind", "architecture", "allocator", "vector_extensions",
  ]

  /// The facts of others that differ, in words.
  func differences(from others: CountConditions) -> [String] {
    facts.compactMap { fact in
      let other = others.facts.first { $0.name == fact.name }?.value
      return other == fact.value
        ? nil : "\(fact.name) was \(other ?? "not known"), is \(fact.value)"
    }
  }
}
