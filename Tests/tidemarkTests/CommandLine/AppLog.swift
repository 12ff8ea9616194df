/// The example of the documentation of recordings: what an app logged, without the server's states.
enum AppLog {
  static let jsonl = """
    {"format":"tidemark-session","version":1,"truth":"observed","name":"one-file","duration":10000000000,\
    "library":"5b1c9e0a-41d7-4e4c-9a3e-0f4d2b7c1a11","network":{"minimumRoundTrip":10000000,\
    "meanExtra":0},"retention":{"events":100,"age":5000000000}}
    {"line":"object","type":"directory","id":"0d5a8f52-7c1b-4e9f-8a2d-3b6c4e1f0a01"}
    {"line":"object","type":"file","id":"0d5a8f52-7c1b-4e9f-8a2d-3b6c4e1f0a02"}
    {"line":"state","object":0,"clock":65536,"device":1,"name":"photos","bytes":942}
    {"line":"state","object":1,"clock":131072,"device":1,"parent":0,"name":"sunset","bytes":2157}
    {"line":"query","method":"files.directory","subject":0,"limit":1000}
    {"line":"client","name":"desktop","partitions":[]}
    {"line":"action","client":0,"at":1000000000,"do":"observe","query":0,"result":[[1,131072,1,2157]]}
    {"line":"action","client":0,"at":3000000000,"do":"read","query":0,"outcome":"hit",\
    "result":[[1,131072,1,2157]]}
    {"line":"action","client":0,"at":9000000000,"do":"unobserve","query":0}

    """
}
