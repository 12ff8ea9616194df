import ArgumentParser
import CommandLineInterface
import HARImport
import Text

struct HARCommand: ParsableCommand {
  static let fullName = "import har"

  static let configuration = CommandConfiguration(
    commandName: "har",
    abstract: "Make a recording from HAR files, as browsers and proxies export them.",
    discussion: """
      Reads JSON and GraphQL requests, their answers, and messages of sockets. Writes which entities \
      were read and when they changed, as numbers: no body, no text, no address, no header. Each file is \
      one user. Memory does not grow with the file.

      EXAMPLES
        tidemark import har session.har --output session.jsonl
        tidemark import har a.har b.har --only api.example.com --output week.jsonl
        tidemark import har session.har --reads 'POST /search' --id key \\
          --output session.jsonl
      """)

  @Argument(
    help: ArgumentHelp("Read these HAR files, or - for standard input.", valueName: "FILE"))
  var files: [String]

  @Option(
    help: ArgumentHelp(
      "Import requests to this host only. Repeatable. Default: hosts whose answers contain entities.",
      valueName: "HOST"))
  var only: [String] = []

  @Option(
    help: ArgumentHelp(
      "Count this method and path as a read, such as 'POST /search'. Repeatable.",
      valueName: "REQUEST"))
  var reads: [String] = []

  @Option(
    help: ArgumentHelp(
      "Keep this parameter in a query, although its values never repeat. Repeatable.",
      valueName: "NAME"))
  var keepParameter: [String] = []

  @Option(
    help: ArgumentHelp(
      "Identify entities by these members, as well as id, _id, uuid, nodeId and node_id. Repeatable.",
      valueName: "a,b"))
  var id: [String] = []

  @Option(
    help: ArgumentHelp(
      "Take the type of an entity from this member, as well as __typename. Repeatable.",
      valueName: "NAME"))
  var type: [String] = []

  @Option(
    help: ArgumentHelp(
      "Read an entity's version from this member, as well as updatedAt, version … Repeatable.",
      valueName: "NAME"))
  var versionMember: [String] = []

  @Option(
    help: ArgumentHelp(
      "Ignore this member when looking for changes, such as a signed address. Repeatable.",
      valueName: "NAME"))
  var ignoreField: [String] = []

  @Option(
    help: ArgumentHelp("End a view after this time if no navigation ends it.", valueName: "TIME"))
  var view = "30 s"

  @Option(
    help: """
      Take the pages of a file as restarts, as clients, or auto: restarts if they follow each other, clients \
      if they overlap.
      """)
  var pages: HARImportOptions.Pages = .auto

  @Flag(help: "Count images as reads.")
  var images = false

  @Flag(help: "Write numbers instead of the names of types, operations and paths.")
  var anonymous = false

  @Option(help: ArgumentHelp("Write to this file, or - for standard output.", valueName: "FILE"))
  var output = "-"

  func run() throws {
    let options = try options()
    try OutputFile.check(output, reading: files)
    for file in files
    where file != InputFile.standardInput && !file.hasSuffix(".har") && FileKind.of(file) == nil {
      throw CommandFailure(
        .input, "\(InputFile.title(of: file)): no such file; name a HAR file (.har)")
    }
    var reader = HARReader(options)
    for file in files { try read(file, &reader) }
    let session: SessionFromHAR
    do {
      // Only one copy of the input.
      session = try SessionFromHAR(consume reader)
    } catch {
      let titles = files.map { InputFile.title(of: $0) }.joined(separator: ", ")
      throw CommandFailure(.input, "\(titles): \(error)")
    }
    try OutputFile.write(to: output) { write in try session.bytes(write) }
    let text = session.summary.lines.joined(separator: "\n")
    // With standard output as the destination, the output is the recording itself.
    if output == "-" { Console.note(text) } else { try Console.write(text + "\n") }
  }

  private func read(_ file: String, _ reader: inout HARReader) throws(CommandFailure) {
    var own = reader
    func failure(_ error: HARImportError) -> CommandFailure {
      CommandFailure(.input, "\(InputFile.title(of: file)): \(error)")
    }
    try InputFile.forEachChunk(of: file, isText: true, command: Self.fullName) {
      chunk throws(CommandFailure) in
      do throws(HARImportError) {
        try own.consume(chunk)
      } catch {
        throw failure(error)
      }
    }
    do throws(HARImportError) {
      try own.finishFile()
    } catch {
      throw failure(error)
    }
    reader = own
  }

  private func options() throws -> HARImportOptions {
    var options = HARImportOptions()
    options.name = Self.name(of: anonymous ? "-" : output)
    options.hosts = only
    options.reads = try reads.map { text in
      guard let read = HARImportOptions.Read(text) else {
        throw CommandFailure(
          .input,
          "--reads: \"\(text)\" is not a method and a path; write for example 'POST /search'")
      }
      return read
    }
    options.keptParameters = keepParameter
    options.identities = try id.map { try NameList.names(in: $0, of: "--id", example: "key") }
    options.typeMembers = type
    options.versionMembers = versionMember
    options.ignoredFields = Set(ignoreField)
    options.viewDuration = try Dimension.duration.whole(view, of: "--view", in: 0...Self.day)
    options.pages = pages
    options.isAnonymous = anonymous
    options.countsImages = images
    return options
  }

  private static let day: Int64 = 86_400_000_000_000

  /// Returns the name of the recording: that of its file, without the folder and the extension.
  private static func name(of output: String) -> String {
    let file = output.split(separator: "/").last ?? "har"
    let name = file.prefix { $0 != "." }
    return output == "-" || name.isEmpty ? "har" : String(name)
  }
}

extension HARImportOptions.Pages: ExpressibleByArgument {}
