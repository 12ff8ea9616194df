import Testing

@Suite("The laws of the house")
struct LawTests {
  @Test("The sources of the pure rooms obey")
  func sourcesObey() throws {
    let files = try SourceFile.all(below: "Sources")
    #expect(files.count > 100, "the sources were not found")
    for law in Laws.all {
      for file in files where law.governs(file.path) && !law.exempts(file.path) {
        for complaint in law.complaints(about: file) { Issue.record("\(complaint)") }
      }
    }
  }

  @Test(
    "Every folder that a law governs exists", arguments: Set(Laws.all.flatMap(\.folders)).sorted())
  func foldersExist(folder: String) throws {
    #expect(try !SourceFile.all(below: "Sources/\(folder)").isEmpty)
  }

  @Test("Every exemption is needed, and has a reason")
  func exemptionsAreNeeded() throws {
    let files = try SourceFile.all(below: "Sources")
    var needed: Set<String> = []
    var given: Set<String> = []
    for law in Laws.all {
      for (path, reason) in law.exemptions {
        #expect(reason.count > 20, "\(path): \(reason)")
        given.insert(path)
        if let file = files.first(where: { $0.path == "Sources/\(path)" }),
          !law.lines(brokenIn: file).isEmpty
        {
          needed.insert(path)
        }
      }
    }
    #expect(given == needed)
  }

  @Test("Every law catches a planted line", arguments: Laws.all.indices)
  func catchesPlantedLine(index: Int) throws {
    let law = Laws.all[index]
    let folder = try #require(law.folders.first)
    let file = SourceFile(
      path: "Sources/\(folder)/Planted.swift", code: "// first line\n" + law.planted)
    #expect(law.governs(file.path))
    let complaint = try #require(law.complaints(about: file).first, "\(law.planted)")
    #expect(complaint.hasPrefix("Sources/\(folder)/Planted.swift:2: "))
    #expect(complaint.contains("breaks law \(law.number)"))
    #expect(complaint.hasSuffix(law.replacement))
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
    for law in Laws.all { #expect(law.complaints(about: file) == []) }
  }

  @Test(
    "Iterations over what has no order are seen",
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
    let law = Law(number: 2, folders: [], offence: .code("Date("), replacement: "")
    #expect(law.lines(brokenIn: file) == [5])
  }
}

extension Law {
  fileprivate func exempts(_ path: String) -> Bool {
    exemptions.keys.contains { path == "Sources/\($0)" }
  }

  /// A line that breaks the law.
  fileprivate var planted: String {
    switch offence {
    case .code(let code): "let planted = 1; \(code)"
    case .call(let name): "let planted = \(name)(1)"
    case .unorderedIteration: "for entity in byKey.values { evict(entity) }"
    }
  }
}
