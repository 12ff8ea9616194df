import Analysis
import ResultModel
import Testing

@testable import Reporting

@Suite("The page of a report")
struct ReportPageTests {
  private func page(_ results: SavedResults) -> (html: String, outline: Outline) {
    let bytes = ReportPage(results).html()
    return (String(decoding: bytes, as: UTF8.self), Outline(bytes))
  }

  @Test("These are its elements, apart from those of pictures")
  func outline() {
    let bytes = ReportPage(SampleResults.results()).html()
    let outline = Outline(bytes, hiding: ["svg", "table", "ul", "p"])
    #expect(outline.faults == [])
    expectSnapshot(
      outline.lines.joined(separator: "\n") + "\n",
      """
      html
       head
        meta ×2
        title
        style
       body
        svg.defs
        header
         h1
         p.soft
        main
         div.first
          p.lede
          table.ans
          div.tiles
           div.tile
            h2
            p
            a
           div.tile
            h2
            p
            p.soft
           div.tile
            h2
            ul
            p.soft
            a
         section
          h2
          p.soft
          ul.alts
          div.pics
           figure ×7
            h4
            svg
            p.how
            p.src
          p.none
          details
           summary
           div.wide
            table.nums
           p.src
          p.src
         section
          h2
          p
          div.pics
           figure
            h4
            svg
            p.how
            p.src
          p.none ×2
         section
          h2
          p.none ×2
         section
          h2
          p.soft
          div.wide
           table
          details
           summary
           div.wide
            table
         section
          h2
          p ×3
          details
           summary
           table
          h3
          table
        footer
         code

      """)
  }

  @Test("A curve is a line with a mark at each point, its intervals and its name")
  func curves() throws {
    let page = ReportPage(SampleResults.results())
    let picture = try #require(page.pictures(of: 0).all.first)
    #expect(picture.title == "Fresh hits against memory")
    var bytes = Array("<!doctype html>\n".utf8)
    try #require(picture.drawing).node(title: picture.title).render(into: &bytes)
    let outline = Outline(bytes)
    #expect(outline.faults == [])
    expectSnapshot(
      outline.lines.joined(separator: "\n") + "\n",
      """
      svg
       title
       desc
       path.gr
       text.e ×6
       text.m ×3
       path.ax
       text.at
       text.at.m
       path.ln.bd.d1 ×2
       path.ln.k1.d0
       use.k1 ×3
       path.ln.k0.d0
       use.k0 ×3
       path.ln.k2.d0
       use.k2 ×3
       path.ld.k1
       text.nm.k1
       path.ld.k0
       text.nm.k0
       path.ld.k2
       text.nm.k2
       path.ld.bd
       text.nm.bd
       path.ld.bd
       text.nm.bd

      """)
  }

  @Test("Other trials are drawn if the folder has them")
  func experiments() {
    var results = SampleResults.results()
    results.experiments.sensitivity = ["0 %", "5 %"].flatMap { value in
      [("lru", value == "0 %" ? 0.9 : 0.5), ("ttl", 0.7)].map { policy, share in
        SensitivityPoint(
          field: "network.loss", value: value,
          row: ResultRow(
            scenario: "grid", policy: policy, seed: nil, class: .all, metric: .freshHitRatio,
            value: .real(share), sampleCount: 5))
      }
    }
    results.experiments.measurements = [
      SavedMeasurement(
        outcome: "worse", class: "single", metric: "operation_time", rounds: 12, change: 0.1,
        changeLow: 0.08, changeHigh: 0.12)
    ]
    let (html, outline) = page(results)
    #expect(outline.faults == [])
    #expect(html.contains("<h4>grid: network.loss</h4>"))
    #expect(html.contains("lru 90.0 %, 50.0 %; ttl 70.0 %, 70.0 %"))
    #expect(html.contains("n = 5 seeds"))
    #expect(html.contains("<h4>This build compared with another</h4>"))
    #expect(html.contains("single time: 10.0 %"))
    #expect(html.contains("href=\"sensitivity.csv\"") && html.contains("href=\"verdict.json\""))
  }

  @Test("It loads nothing, runs nothing, and links only into itself and to files in its folder")
  func selfContained() {
    let (html, outline) = page(SampleResults.results())
    for word in ["http:", "https:", "//", "@import", "url(", "<script", "<link", "<img"] {
      #expect(!html.contains(word), "\(word)")
    }
    let ids = Set(outline.attributes.filter { $0.name == "id" }.map(\.value))
    let files = Set([
      "policies.csv", "results.csv", "seeds.csv", "memory-levels.csv", "timeline.csv", "reads.csv",
      "latency.csv", "memory.csv", "verdicts.json", "manifest.json",
    ])
    let links = outline.attributes.filter { $0.name == "href" }.map(\.value)
    #expect(links.count > 20)
    for link in links {
      #expect(link.hasPrefix("#") ? ids.contains(String(link.dropFirst())) : files.contains(link))
    }
    #expect(!outline.attributes.contains { $0.name.hasPrefix("on") || $0.name == "style" })
  }

  @Test("Each answer links to its pictures, its rows and its command, which are there")
  func evidence() {
    let (html, outline) = page(SampleResults.results(["slow-link"]))
    let ids = outline.attributes.filter { $0.name == "id" }.map(\.value)
    for id in ["s-slow-link", "s-slow-link.rows", "s-slow-link.made"] {
      #expect(ids.filter { $0 == id }.count == 1)
      #expect(html.contains("<a href=\"#\(id)\">"))
    }
    #expect(html.contains("tidemark simulate slow-link --seeds 2 --no-robustness --format csv"))
  }

  @Test("The first screen says which policy to ship, by how much, why, and at what price")
  func answer() {
    func words(_ names: String...) -> String {
      page(SampleResults.results(names)).html
        .replacing(#/<[^>]*>/#, with: "|").replacing(#/\|+/#, with: "|")
    }
    let several = words("file-browser", "slow-link")
    #expect(
      several.contains(
        "2.0 ± 0.4 points ahead of lru| (2 seeds); lru lost 20 more reads to evicted rows|"
          + "same answer in 1 of 2 checks; lru in 1 (by bytes)|18.0 ms|"), "\(several)")
    // Of one scenario the sentence above has the margin and the reason, once.
    let text = words("file-browser")
    #expect(text.split(separator: "2.0 ± 0.4 points ahead of lru").count == 2, "\(text)")
    #expect(text.contains("|The same answer in 1 of 2 checks; lru in 1 (by bytes).|"), "\(text)")
    #expect(
      text.contains(
        "|n = 2 seeds|refcount|refcount: 82.0 ± 1.0 % fresh hits, between 0.0 % and 90.0 %|82.0 ± 1.0 % fresh hits|"
          + "18.0 ms|lru 20.0 ms|190.0 MB|lru 210.0 MB|"
          + "15.0 MB|lru 15.0 MB|0.0 %|lru 0.0 %|pictures| · |rows| · |command|"),
      "\(text)")
    #expect(!text.contains("went on with the policies left"))
    #expect(text.contains("|Targets: 1 met, 1 missed|"))
    #expect(
      text.contains("|missed |file-browser: fresh_hit_ratio[all] ≥ 70.0 %: ttl 60.0 %|"))
  }

  @Test("With few scenarios answers come first, with a note if a verdict has more seeds")
  func order() {
    for (count, isAnswerFirst) in [(3, true), (4, false)] {
      var results = SampleResults.results((0..<count).map { "app-\($0)" })
      results.verdicts?.scenarios[0].seeds = 10
      let parts = page(results).html.split(separator: "<div class=\"tiles\">")
      #expect(parts.count == 2)
      #expect(parts[isAnswerFirst ? 0 : 1].contains("went on with the policies left"))
      #expect(parts[0].contains("<table class=\"ans\">") == isAnswerFirst)
    }
  }

  @Test("With one seed the price of the best is shown, and only given options are named")
  func oneSeed() {
    func text(_ options: String...) -> String {
      var results = SampleResults.results(["chat"])
      results.run = SavedRun(
        Manifest(
          schemaVersion: ResultSchema.version, programVersion: "1",
          command: ["tidemark", "bench", "chat"] + options, seeds: [1], contenders: [],
          scenarios: [], startedAt: "", elapsedSeconds: 1, host: [], toolchain: []))
      results.verdicts?.scenarios[0].outcome = .oneSeed
      results.verdicts?.scenarios[0].seeds = 1
      results.verdicts?.scenarios[0].choice = []
      results.verdicts?.scenarios[0].candidates = ["lru", "ttl"]
      results.verdicts?.scenarios[0].alternatives = []
      results.verdicts?.scenarios[0].verdictCommand = "tidemark simulate chat"
      return page(results).html.replacing(#/<[^>]*>/#, with: "|").replacing(#/\|+/#, with: "|")
    }
    let quick = text("--quick")
    #expect(quick.contains("One seed each is no verdict. Run tidemark bench without --quick.|"))
    #expect(quick.contains("Not checked in this run. Run tidemark bench without --quick.|"))
    #expect(quick.contains("|20.0 ms|210.0 MB|15.0 MB|0.0 %|"), "\(quick)")
    #expect(quick.contains("the rows of the other files: |tidemark bench chat --quick|"))
    let single = text("--seeds=1", "--exact-only")
    #expect(single.contains("Run tidemark bench without --seeds.|"))
    #expect(single.contains("Run tidemark bench without --exact-only and --seeds.|"))
    #expect(single.contains("the rows of the other files: |tidemark bench chat --seeds 1|"))
    #expect(text().contains("One seed each is no verdict.|"))
  }

  @Test("Every name from a file is escaped")
  func hostileNames() {
    let name = "<script>\"'&\u{202E}"
    var results = SampleResults.results([name])
    results.folder = name
    results.verdicts?.scenarios[0].summary = name
    results.verdicts?.policies = [SavedPolicy(name: name, meaning: name)]
    results.verdicts?.scenarios[0].choice = [name]
    results.verdicts?.scenarios[0].faults[0].client = name
    results.rows += results.rows.filter { $0.policy == "lru" }.map {
      var row = $0
      row.policy = name
      return row
    }
    let (html, outline) = page(results)
    #expect(outline.faults == [])
    #expect(!html.contains("<script"))
    #expect(!html.contains("\u{202E}"))
    #expect(html.contains("&lt;script&gt;&quot;&#39;&amp;\\u{202E}"))
    #expect(!outline.texts.contains { $0.contains("\"") || $0.contains("'") })
  }

  @Test(
    "Missing parts of a folder are named with the command that makes them, without a picture")
  func missing() {
    var results = SampleResults.results()
    results.levels = nil
    results.timeline = nil
    results.latency = nil
    results.verdicts?.scenarios[0].effects = []
    let (html, outline) = page(results)
    #expect(outline.faults == [])
    #expect(outline.lines.filter { $0.hasSuffix(" figure") }.count == 3)
    for (title, command) in [
      ("Fresh hits against memory", "tidemark bench file-browser"),
      ("One run over its time", "tidemark bench file-browser"),
      ("Effect of changing one setting of lru", "tidemark bench file-browser"),
    ] {
      #expect(
        html.contains("\(title)</text> (run") || html.contains("\(title) (run <code>\(command)"))
    }
    #expect(html.contains("no latency.csv is in the folder"))
  }

  @Test("A folder with rows alone has tables, and says that it has no verdict")
  func rowsAlone() {
    let rows = SampleResults.rows("file-browser")
    let (html, outline) = page(SavedResults(folder: "Reports/baseline", rows: rows))
    #expect(outline.faults == [])
    #expect(html.contains("verdicts.json is not there"))
    #expect(html.contains("80.0 ± 1.0 %"))
    #expect(html.contains("n = 2 seeds"))
    #expect(!html.contains("seeds.csv"))
    let (empty, _) = page(SavedResults(folder: "x", rows: []))
    #expect(empty.contains("results.csv has no rows"))
  }

  @Test("A page of many scenarios stays below its limit, and says which pictures it left out")
  func limit() {
    let names = (0..<40).map { "scenario-\($0)" }
    var results = SampleResults.results(names)
    // As many policies as a scenario of the repository has at most.
    results.rows += (0..<15).flatMap { copy in
      results.rows.filter { $0.policy == "lru" }.map {
        var row = $0
        row.policy = "contender-\(copy)"
        return row
      }
    }
    let bytes = ReportPage(results).html()
    #expect(bytes.count <= ReportPage.sizeLimit)
    let html = String(decoding: bytes, as: UTF8.self)
    #expect(Outline(bytes).faults == [])
    for name in names { #expect(html.contains("id=\"s-\(name).rows\"")) }
    #expect(html.contains("--scenarios scenario-39 --output page.html</code>"))
    // The first keeps what its verdict rests on, the last has nothing left.
    let sections = html.split(separator: "<section ")
    let first = sections.first { $0.hasPrefix("id=\"s-scenario-0\"") }
    let last = sections.first { $0.hasPrefix("id=\"s-scenario-39\"") }
    #expect(first?.contains("<h4>Fresh hits against memory</h4>") == true)
    #expect(last?.contains("<figure>") == false)
  }

  @Test("A curve of times ends where fewer than ten samples are beyond")
  func percentiles() throws {
    let page = ReportPage(SampleResults.results())
    let pictures = MeasuredPictures(
      latency: SampleResults.latency, looks: page.looks, command: "tidemark bench file-browser")
    let picture = try #require(pictures.all.first?.drawing)
    #expect(picture.description == "lru: 100.0 µs, 900.0 µs; control, no cache: 50.0 µs, 450.0 µs")
    let few = SampleResults.latency.map { row in
      var copy = row
      if !row.policy.isEmpty { copy.sampleCount = 13 }
      return copy
    }
    let alone = MeasuredPictures(latency: few, looks: page.looks, command: "tidemark bench chat")
    #expect(alone.all.first?.drawing == nil, "a control alone is compared with nothing")
  }

  @Test("Counted memory of a scenario's caches is shown next to the prediction")
  func memory() throws {
    var results = SampleResults.results()
    func row(_ metric: Metric, _ value: Int64, _ statistic: Statistic = .value) -> ResultRow {
      ResultRow(
        scenario: "file-browser", policy: "lru", seed: 1, metric: metric, statistic: statistic,
        value: .integer(value))
    }
    let without = String(decoding: ReportPage(results).html(), as: UTF8.self)
    #expect(!without.contains("<h4>Memory, counted and predicted</h4>"))
    results.memory = [
      row(.predictedBytes, 5_000_000, .peak), row(.cacheTotalBytes, 4_000_000),
      row(.storeBytes, 3_000_000), row(.queryIndexBytes, 990_000),
    ]
    let scenario = ReportPage(results).pictures(of: 0)
    let picture = try #require(scenario.all.first { $0.title.hasPrefix("Memory, counted") })
    #expect(picture.drawing?.description == "lru 4.0 MB, predicted 5.0 MB")
  }

  @Test("A recording says once what it cannot answer, and names no useless command")
  func recording() {
    var results = SampleResults.results()
    results.verdicts?.scenarios[0].recordedUsers = 2
    results.verdicts?.scenarios[0].effects = []
    results.verdicts?.scenarios[0].knee = "lru: 2.0 MB is within 1 point of unlimited"
    let html = String(decoding: ReportPage(results).html(), as: UTF8.self)
    #expect(html.split(separator: "is not prolonged").count == 2)
    #expect(!html.contains("Effect of changing one setting"))
    #expect(html.contains("<p>Memory: lru: 2.0 MB is within 1 point of unlimited"))
  }

  @Test("Reads that ended differently under two policies are folded by query")
  func reads() {
    var results = SampleResults.results()
    func read(_ policy: String, _ action: Int, _ name: String, _ outcome: Metric) -> ReadLine {
      ReadLine(
        scenario: "file-browser", policy: policy, seed: 1, client: "phone", action: action,
        at: Int64(action) * 1_000_000_000, read: name, outcome: outcome, waited: 0, age: nil,
        difference: nil)
    }
    results.reads =
      (0..<30).map { read("refcount", $0, "inbox(3)", .hitFresh) }
      + [read("refcount", 30, "file 7", .hitFresh)]
      + (0..<30).map { read("lru", $0, "inbox(3)", $0 < 25 ? .partial : .hitFresh) }
      + [read("lru", 30, "file 7", .missCold)]
    let (html, outline) = page(results)
    #expect(outline.faults == [])
    #expect(
      html.contains("Reads that ended differently under refcount and lru: 26 of 31 in seed 1"))
    #expect(html.contains("<summary>inbox: 25 reads, the first 20 shown</summary>"))
    #expect(html.contains("<summary>file: 1 reads</summary>"))
    results.reads = nil
    #expect(!page(results).0.contains("ended differently"))
  }

  @Test("The limits of the comparison, and the command that searches others, are named")
  func limits() {
    var results = SampleResults.results()
    results.verdicts?.scenarios[0].limits = "500 entities, 15 queries"
    results.verdicts?.scenarios[0].limitsCommand = "tidemark recommend file-browser"
    let html = page(results).0
    #expect(html.contains("Limits: 500 entities, 15 queries, as in the scenario; "))
    #expect(
      html.contains(
        "no other entity or query limits were tried. Without limits, unbounded has 90.0 % fresh hits with 90.0 MB."
      ))
    results.rows.removeAll { $0.policy == "unbounded" }
    #expect(!page(results).0.contains("Without limits"))
    #expect(html.contains("<code>tidemark recommend file-browser</code>"))
  }

  @Test("The same results make the same bytes")
  func determinism() {
    let results = SampleResults.results()
    #expect(ReportPage(results).html() == ReportPage(results).html())
  }
}
