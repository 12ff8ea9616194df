import Testing

@Suite("The rules of the sources")
struct SourceRuleTests {
  @Test("The sources of the pure modules obey")
  func sourcesObey() throws {
    let files = try SourceFile.all(below: "Sources")
    #expect(files.count > 100, "the sources were not found")
    for rule in SourceRules.all {
      for file in files where rule.governs(file.path) && !rule.exempts(file.path) {
        for complaint in rule.complaints(about: file) { Issue.record("\(complaint)") }
      }
    }
  }

  @Test(
    "Every folder that a rule governs exists",
    arguments: Set(SourceRules.all.flatMap(\.folders)).sorted())
  func foldersExist(folder: String) throws {
    #expect(try !SourceFile.all(below: "Sources/\(folder)").isEmpty)
  }

  @Test("Every exemption is needed, and has a reason")
  func exemptionsAreNeeded() throws {
    let files = try SourceFile.all(below: "Sources")
    var needed: Set<String> = []
    var given: Set<String> = []
    for rule in SourceRules.all {
      for (path, reason) in rule.exemptions {
        #expect(reason.count > 20, "\(path): \(reason)")
        given.insert(path)
        if let file = files.first(where: { $0.path == "Sources/\(path)" }),
          !rule.lines(brokenIn: file).isEmpty
        {
          needed.insert(path)
        }
      }
    }
    #expect(given == needed)
  }

  @Test("Every rule catches a planted line", arguments: SourceRules.all.indices)
  func catchesPlantedLine(index: Int) throws {
    let rule = SourceRules.all[index]
    let folder = try #require(rule.folders.first)
    let file = SourceFile(
      path: "Sources/\(folder)/Planted.swift", code: "// first line\n" + rule.planted)
    #expect(rule.governs(file.path))
    let complaint = try #require(rule.complaints(about: file).first, "\(rule.planted)")
    #expect(complaint.hasPrefix("Sources/\(folder)/Planted.swift:2: "))
    #expect(complaint.contains("breaks rule \(rule.number)"))
    #expect(complaint.hasSuffix(rule.replacement))
  }

  @Test(
    "Innocent code is left alone",
    arguments: [
      "// await Date() in a comment", "/* Date() /* nested */ UUID() */ let a = 1",
      "let text = \"print(Date())\"", "let text = \"\"\"\n  \" Task { await }\n  \"\"\"",
      "let text = #\"\\(Date())\"#", "let today = Dated(hashValues)",
      "PortableMath.log(x) + curve.exp(2)", "func log(_ x: Double) -> Double",
      "case .print(let page)",
      "let share = source.uniform(below: 3)",
      "let a: [Int: Int]\nfor key in a.keys.sorted() { use(key) }",
      "let a: [Int: Int]\nif a.keys.contains(3) { return a[3] }",
      "let a: Set<Int>\nfor b in Set(list).sorted() { use(b) }",
      "let keys: [Int]\nfor key in input.keys[3] { use(key) }",
      "let pairs: [(a: Int, b: Int)]\nfor pair in pairs { use(pair) }",
    ])
  func leavesInnocentCodeAlone(code: String) {
    let file = SourceFile(path: "Sources/Workloads/Innocent.swift", code: code)
    for rule in SourceRules.all { #expect(rule.complaints(about: file) == []) }
  }

  @Test(
    "Iterations over unordered collections are found",
    arguments: [
      "let a: [Int: [Int]] = [:]\nfor (key, value) in a { use(key) }",
      "var a: Set<Int>\nfor b in a where b > 0 { use(b) }",
      "self.a = Dictionary(pairs)\nfor b in self.a { use(b) }",
      "for b in other.thing.values { use(b) }",
      "for b in Set(list) { use(b) }", "let a: [Int: Int]\nlet b = a.values.map { $0 }",
      "let a = Set(list)\nreturn a.first", "let a: [Int: Int]\nreturn a.keys.first",
      "let a: [K: V]\nprint(\"\\(a.map { $0 })\")",
    ])
  func seesUnorderedIteration(code: String) {
    #expect(!UnorderedIteration(SwiftToken.tokens(of: code)).lines.isEmpty)
  }

  @Test("Interpolated code is code, and lines are counted through literals and comments")
  func readsInterpolations() {
    let code = "let a = \"\"\"\n  one\n  \"\"\"\n/* \n */ let b = \"x \\(Date(\"y\")) z\""
    let file = SourceFile(path: "f", code: code)
    let rule = SourceRule(number: 2, folders: [], offence: .code("Date("), replacement: "")
    #expect(rule.lines(brokenIn: file) == [5])
  }
}

extension SourceRule {
  fileprivate func exempts(_ path: String) -> Bool {
    exemptions.keys.contains { path == "Sources/\($0)" }
  }

  /// A line that breaks the rule.
  fileprivate var planted: String {
    switch offence {
    case .code(let code): "let planted = 1; \(code)"
    case .call(let name): "let planted = \(name)(1)"
    case .unorderedIteration: "for entity in byKey.values { evict(entity) }"
    }
  }
}
