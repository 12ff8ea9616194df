import Testing

@Suite("Random mutations beside a model", .timeLimit(.minutes(30)))
struct OverlaySearchTests {
  @Test(
    "B45 Any order of commits, rollbacks and events shows what replaying over the confirmed shows",
    arguments: 0..<16)
  func search(seed: Int) throws {
    var program = try OverlayProgram(seed: UInt64(seed))
    program.run(steps: 150)
    #expect(program.notifications > 10, "a program without changes shows nothing")
  }
}
