import FoundationEssentials
import Testing

@testable import Measurement

@Suite("Tokens of mutations")
struct TokenMemoryTests {
  @Test("The newest are remembered, the oldest forgotten, one for one")
  func bound() {
    var memory = TokenMemory(capacity: 3)
    let tokens = (0..<8).map { _ in UUID() }
    for (index, token) in tokens.enumerated() {
      memory.remember(token, sequence: UInt64(index))
      for (other, known) in tokens.enumerated() {
        #expect(memory[known] == (other <= index && other > index - 3 ? UInt64(other) : nil))
      }
    }
  }
}
