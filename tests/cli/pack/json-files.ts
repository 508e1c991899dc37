import { BOM, encoded, lines, ndjson, type PackFile } from "./pack-file.js";

const deep = (depth: number): string => `${"[".repeat(depth)}${"]".repeat(depth)}`;

/** JSON as search servers, databases, shops and programs write it. */
export const JSON_FILES: readonly PackFile[] = [
  {
    name: "elasticsearch-bulk.ndjson",
    source: "Elasticsearch and OpenSearch: lines for _bulk",
    content: ndjson(
      { index: { _index: "films", _id: "7" } },
      { title: "Ran", year: 1985 },
      { create: { _id: "8" } },
      { title: "Ikiru", year: 1952 },
    ),
    documents: [
      { id: "7", title: "Ran", year: 1985 },
      { id: "8", title: "Ikiru", year: 1952 },
    ],
    says: ["has Elasticsearch's bulk lines; --as-is takes its records as they are"],
  },
  {
    name: "elasticsearch-bulk-mixed.ndjson",
    source: "Elasticsearch and OpenSearch: lines for _bulk with deletes, updates and a broken document",
    content: lines(
      '{"index":{"_id":"1"}}',
      '{"title":"a"}',
      '{"delete":{"_id":"2"}}',
      '{"update":{"_id":"3"}}',
      '{"doc":{"title":"c"}}',
      '{"index":{"_id":"4"}}',
      '{"title":',
      '{"index":{"_id":"5"}}',
      '{"title":"e"}',
    ),
    documents: [
      { id: "1", title: "a" },
      { id: "5", title: "e" },
    ],
    bad: [
      { line: 3, reason: "a delete of a document can't be imported" },
      { line: 5, reason: "an update of a document can't be imported" },
      { line: 7, reason: "not valid JSON" },
    ],
  },
  {
    name: "elasticsearch-as-is.ndjson",
    source: "documents that look like bulk lines, taken as they are",
    content: ndjson({ index: { _id: "1" }, id: "a" }, { id: "b" }),
    options: { asIs: true },
    documents: [{ index: { _id: "1" }, id: "a" }, { id: "b" }],
  },
  {
    name: "elasticdump.json",
    source: "elasticdump --type=data: a hit a line",
    content: ndjson(
      { _index: "films", _type: "_doc", _id: "7", _score: 1, _source: { title: "Ran" } },
      { _index: "films", _type: "_doc", _id: "8", _score: 1, _source: { id: "own", title: "Ikiru" } },
    ),
    documents: [
      { id: "7", title: "Ran" },
      { id: "own", title: "Ikiru" },
    ],
    says: ["has hits of Elasticsearch or OpenSearch"],
  },
  {
    name: "elasticsearch-search.json",
    source: "Elasticsearch and OpenSearch: the answer of _search",
    content: JSON.stringify({
      took: 3,
      hits: {
        total: { value: 1, relation: "eq" },
        hits: [{ _index: "f", _id: "7", _source: { title: "Ran" } }],
      },
    }),
    documents: [{ id: "7", title: "Ran" }],
    says: ["its documents are the list 'hits.hits'"],
  },
  {
    name: "meilisearch-documents.json",
    source: "Meilisearch: the answer of /indexes/films/documents",
    content: JSON.stringify(
      {
        results: [
          { id: 1, title: "Ran" },
          { id: 2, title: "Ikiru" },
        ],
        offset: 0,
        limit: 20,
        total: 2,
      },
      null,
      2,
    ),
    documents: [
      { id: "1", title: "Ran" },
      { id: "2", title: "Ikiru" },
    ],
    says: ["its documents are the list 'results'"],
  },
  {
    name: "meilisearch-dump.jsonl",
    source: "Meilisearch: documents.jsonl of a dump",
    content: ndjson(
      { id: 1, title: "Ran", genres: ["war"] },
      { id: 2, title: "Ikiru", genres: ["drama", "life"] },
    ),
    documents: [
      { id: "1", title: "Ran", genres: ["war"] },
      { id: "2", title: "Ikiru", genres: ["drama", "life"] },
    ],
  },
  {
    name: "typesense-export.jsonl",
    source: "Typesense: documents/export, times as Unix seconds",
    content: ndjson(
      { id: "0", title: "Ran", in_stock: true, points: 12 },
      { id: "1", title: "Ikiru", in_stock: false, points: 7 },
    ),
    documents: [
      { id: "0", title: "Ran", in_stock: true, points: 12 },
      { id: "1", title: "Ikiru", in_stock: false, points: 7 },
    ],
  },
  {
    name: "typesense-search.json",
    source: "Typesense: the answer of a search",
    content: JSON.stringify({ found: 1, hits: [{ document: { id: "0", title: "Ran" }, highlights: [] }] }),
    options: { records: "hits" },
    documents: [{ document: { id: "0", title: "Ran" } }],
  },
  {
    name: "algolia.json",
    source: "Algolia: browse, objectID beside the rest",
    content: JSON.stringify([
      { objectID: "1", name: "a", _tags: ["x", "y"] },
      { objectID: "2", name: "b", _tags: [] },
    ]),
    documents: [
      { objectID: "1", name: "a", _tags: ["x", "y"] },
      { objectID: "2", name: "b" },
    ],
  },
  {
    name: "shopify-products.json",
    source: "Shopify: /products.json",
    content: JSON.stringify({
      products: [
        {
          id: 1,
          title: "Hose",
          tags: ["red"],
          variants: [{ sku: "a", price: "9.50" }],
          published_at: "2023-12-31T10:00:00-05:00",
        },
        { id: 2, title: "Tap", tags: [], variants: [], published_at: null },
      ],
    }),
    documents: [
      {
        id: "1",
        title: "Hose",
        tags: ["red"],
        variants: [{ sku: "a", price: "9.50" }],
        published_at: "2023-12-31T15:00:00Z",
      },
      // A list of objects without any has no value of their members.
      { id: "2", title: "Tap" },
    ],
    says: ["its documents are the list 'products'; --records names another"],
  },
  {
    name: "dummyjson.json",
    source: "shop interfaces: products, and how many there are, over several lines",
    content: JSON.stringify({ products: [{ id: 1, title: "x" }], total: 1, skip: 0, limit: 30 }, null, 2),
    documents: [{ id: "1", title: "x" }],
  },
  {
    name: "records-named.json",
    source: "an interface with a list of its own name, given by --records",
    content: JSON.stringify({
      meta: { page: 1 },
      payload: { list: [{ id: "a" }, { id: "b" }] },
      tail: [{ id: "c" }],
    }),
    options: { records: "payload.list" },
    documents: [{ id: "a" }, { id: "b" }],
  },
  {
    name: "records-missing.json",
    source: "a wrong name given by --records",
    content: JSON.stringify({ items: [{ id: "a" }] }),
    options: { records: "things" },
    refused: "records-missing.json:1: there is no list 'things' in it",
  },
  {
    name: "wrapped-bad.json",
    source: "an interface's answer with an element that is no object, and a list that isn't closed",
    content: '{"total": 3,\n "items": [{"id": "a"},\n 5,\n {"id": "b"}',
    documents: [{ id: "a" }, { id: "b" }],
    bad: [
      { line: 3, reason: "a document must be a JSON object" },
      { line: 4, reason: "the file ends before its array is closed" },
    ],
  },
  {
    name: "wordpress-posts.json",
    source: "WordPress: /wp-json/wp/v2/posts, texts within objects, local times",
    content: JSON.stringify([
      { id: 1, date: "2023-12-31T10:00:00", title: { rendered: "Hello" }, status: "publish" },
      { id: 2, date: "2024-01-01T10:00:00", title: { rendered: "Again" }, status: "draft" },
    ]),
    documents: [
      { id: "1", date: "2023-12-31T10:00:00Z", title: { rendered: "Hello" }, status: "publish" },
      { id: "2", date: "2024-01-01T10:00:00Z", title: { rendered: "Again" }, status: "draft" },
    ],
    fields: { date: "datetime", "title.rendered": "text" },
  },
  {
    name: "mongoexport.json",
    source: "MongoDB: mongoexport, extended JSON, an object a line",
    content: ndjson(
      { _id: { $oid: "65a1" }, at: { $date: "2023-12-31T10:00:00Z" }, n: { $numberLong: "5" }, name: "a" },
      {
        _id: { $oid: "65a2" },
        at: { $date: { $numberLong: "1704067200000" } },
        n: { $numberLong: "9007199254740993" },
        name: "b",
      },
    ),
    documents: [
      { id: "65a1", at: "2023-12-31T10:00:00Z", n: 5, name: "a" },
      { id: "65a2", at: "1704067200", n: 9007199254740993n, name: "b" },
    ],
    says: ["has MongoDB's extended JSON"],
  },
  {
    name: "phpmyadmin.json",
    source: "phpMyAdmin: JSON, with a header, the database's and the table's data",
    content: `[\n{"type":"header","version":"5.2"},\n{"type":"database","name":"shop"},\n{"type":"table","name":"p","data":\n[\n{"id":"1","price":"131.56"},\n{"id":"2","price":"7.00"}\n]}\n]\n`,
    documents: [
      { type: "header", version: "5.2" },
      { type: "database", name: "shop" },
      {
        type: "table",
        name: "p",
        data: [
          { id: "1", price: "131.56" },
          { id: "2", price: "7.00" },
        ],
      },
    ],
  },
  {
    name: "mysql-rows.json",
    source: "MySQL Workbench and PHP: JSON in which numbers and times are texts",
    content: JSON.stringify([
      { id: "1", price: 131.56, at: "2023-12-31 23:59:59", note: "" },
      { id: "2", price: "7.00", at: "2024-01-01 00:00:00", note: "x" },
    ]),
    documents: [
      { id: "1", price: 131.56, at: "2023-12-31T23:59:59Z", note: "" },
      { id: "2", price: 7, at: "2024-01-01T00:00:00Z", note: "x" },
    ],
  },
  {
    name: "places.geojson",
    source: "GeoJSON: overpass turbo, QGIS",
    content: JSON.stringify({
      type: "FeatureCollection",
      name: "places",
      crs: { type: "name", properties: { name: "urn:ogc:def:crs:OGC:1.3:CRS84" } },
      features: [
        {
          type: "Feature",
          id: "node/1",
          properties: { name: "Café" },
          geometry: { type: "Point", coordinates: [13.4, 52.5] },
        },
        {
          type: "Feature",
          id: "way/2",
          properties: { name: "Park" },
          geometry: {
            type: "LineString",
            coordinates: [
              [1, 2],
              [3, 4],
            ],
          },
        },
      ],
    }),
    documents: [
      {
        id: "node/1",
        name: "Café",
        longitude: 13.4,
        latitude: 52.5,
        geometry: { type: "Point", coordinates: [13.4, 52.5] },
      },
      {
        id: "way/2",
        name: "Park",
        geometry: {
          type: "LineString",
          coordinates: [
            [1, 2],
            [3, 4],
          ],
        },
      },
    ],
    says: ["its documents are the list 'features'", "has features of GeoJSON"],
  },
  {
    name: "places.geojsonl",
    source: "GDAL: GeoJSONSeq, a feature a line",
    content: ndjson({ type: "Feature", properties: { name: "a" }, geometry: null }),
    documents: [{ name: "a" }],
  },
  {
    name: "pretty.json",
    source: "scripts: an array over several lines, with a byte order mark",
    content:
      BOM +
      JSON.stringify(
        [
          { id: "a", n: 1 },
          { id: "b", n: 2 },
        ],
        null,
        2,
      ),
    documents: [
      { id: "a", n: 1 },
      { id: "b", n: 2 },
    ],
  },
  {
    name: "powershell.json",
    source: "PowerShell 5: ConvertTo-Json > file (UTF-16 with byte order mark)",
    content: encoded(`${BOM}[\r\n  {\r\n    "id": "ä"\r\n  }\r\n]\r\n`, "utf16le"),
    documents: [{ id: "ä" }],
  },
  {
    name: "jq.json",
    source: "jq: objects one behind the other",
    content: '{\n  "id": "a"\n}\n{\n  "id": "b"\n}\n',
    documents: [{ id: "a" }, { id: "b" }],
  },
  {
    name: "one.json",
    source: "a program's single document",
    content: '{"id": "a", "parts": [{"x": 1}]}',
    documents: [{ id: "a", parts: [{ x: 1 }] }],
  },
  {
    name: "firebase.json",
    source: "an array whose documents miss a comma, and one that goes on behind its end",
    content: '[{"id": "a"}\n{"id": "b"},\n{"id": "c"}] {"id": "d"}',
    documents: [{ id: "a" }, { id: "b" }, { id: "c" }, { id: "d" }],
    bad: [
      { line: 2, reason: "a comma or ] is missing after a document" },
      { line: 3, reason: "something follows the end of the array" },
    ],
  },
  {
    name: "bad-lines.ndjson",
    source: "logs: lines of every kind that no document can be",
    content: lines(
      '{"id": "1", "n": 1}',
      '{"id": "2", "n": 2, "id": "x"}',
      '{"id": "3", "o": {"__proto__": 1}}',
      '{"id": "4", "s": "\\ud800"}',
      `{"id": "5", "d": ${deep(200)}}`,
      "",
      "not json",
      "[1]",
      "null",
      '{"id": "9", "n": 9',
      '{"id": "10", "n": 10}',
    ),
    documents: [
      { id: "1", n: 1 },
      { id: "10", n: 10 },
    ],
    bad: [
      { line: 2, reason: "twice" },
      { line: 3, reason: "__proto__" },
      { line: 4, reason: "surrogate" },
      { line: 5, reason: "deep" },
      { line: 7, reason: "not valid JSON" },
      { line: 8, reason: "a document must be a JSON object" },
      { line: 9, reason: "a document must be a JSON object" },
      { line: 10, reason: "not valid JSON" },
    ],
  },
  {
    name: "long-ids.ndjson",
    source: "Twitter and others: identifiers beyond 2^53 as numbers",
    content: lines('{"id": "1", "n": 5}', '{"id": "2", "n": 9007199254740993}'),
    documents: [
      { id: "1", n: 5 },
      { id: "2", n: 9007199254740993n },
    ],
    fields: { n: "u64" },
  },
  {
    name: "latin.ndjson",
    source: "old scripts: NDJSON in Windows-1252",
    content: encoded(lines('{"id": "a"}', '{"id": "ä"}'), "latin1"),
    documents: [{ id: "a" }],
    bad: [{ line: 2, reason: "not valid UTF-8" }],
  },
  {
    name: "sqlite.json",
    source: "SQLite: .mode json",
    content: '[{"id":1,"name":"a","n":null},\n{"id":2,"name":"b","n":6}]\n',
    documents: [
      { id: "1", name: "a" },
      { id: "2", name: "b", n: 6 },
    ],
  },
  {
    name: "pretty.jsonl",
    source: "jq without -c, named as lines: objects over several lines",
    content: '{\n  "id": 1,\n  "tags": ["a", "b"]\n}\n{\n  "id": 2,\n  "tags": []\n}\n',
    documents: [{ id: "1", tags: ["a", "b"] }, { id: "2" }],
  },
  {
    name: "arrays.ndjson",
    source: "BigQuery and ClickHouse: NDJSON with arrays of texts, numbers and objects",
    content: ndjson(
      { id: "1", tags: ["a", "b"], sizes: [1, 2.5], offers: [{ price: 1 }, { price: 2 }] },
      { id: "2", tags: [], sizes: [], offers: [] },
    ),
    documents: [
      { id: "1", tags: ["a", "b"], sizes: [1, 2.5], offers: [{ price: 1 }, { price: 2 }] },
      { id: "2" },
    ],
    fields: { sizes: "f64[]", "offers.price": "u64[]" },
  },
  {
    name: "trailing-comma.json",
    source: "hand-made JSON: a comma behind the last element",
    content: '[\n  {"id": "1"},\n  {"id": "2"},\n]\n',
    documents: [{ id: "1" }, { id: "2" }],
    bad: [{ line: 4, reason: "a document is missing before this place" }],
  },
  {
    name: "trailing-comma.ndjson",
    source: "scripts: lines of an array without its brackets, a comma behind each",
    content: '{"id": "1"},\n{"id": "2"},\n',
    refused: "trailing-comma.ndjson:1: not valid JSON",
  },
  {
    name: "array-lines.ndjson",
    source: "ClickHouse: JSONCompactEachRow, arrays without names",
    content: '[1, "a"]\n[2, "b"]\n',
    refused: "array-lines.ndjson:1: a document must be a JSON object",
  },
  {
    name: "clickhouse.json",
    source: "ClickHouse: FORMAT JSON, meta, data, rows",
    content: JSON.stringify({
      meta: [{ name: "id", type: "UInt64" }],
      data: [
        { id: "1", n: 5 },
        { id: "2", n: 6 },
      ],
      rows: 2,
      statistics: { elapsed: 0.1 },
    }),
    documents: [
      { id: "1", n: 5 },
      { id: "2", n: 6 },
    ],
    says: ["its documents are the list 'data'"],
  },
  {
    name: "bigquery.json",
    source: "BigQuery: rows saved to a file, integers as texts, times in UTC",
    content: ndjson(
      { id: "1", n: "5", at: "2023-12-31 23:59:59 UTC" },
      { id: "2", n: "6", at: "2024-01-01 00:00:00 UTC" },
    ),
    documents: [
      { id: "1", n: "5", at: "2023-12-31T23:59:59Z" },
      { id: "2", n: "6", at: "2024-01-01T00:00:00Z" },
    ],
  },
  {
    name: "dynamodb.json",
    source: "DynamoDB: export to S3, an Item a line, types around values",
    content: ndjson({ Item: { id: { S: "1" }, n: { N: "5" } } }, { Item: { id: { S: "2" }, n: { N: "6" } } }),
    documents: [{ Item: { id: { S: "1" }, n: { N: "5" } } }, { Item: { id: { S: "2" }, n: { N: "6" } } }],
  },
  {
    name: "python.ndjson",
    source: "Python: json.dumps with NaN",
    content: '{"id": "1", "x": NaN}\n{"id": "2", "x": 1.5}\n',
    documents: [{ id: "2", x: 1.5 }],
    bad: [{ line: 1, reason: "not valid JSON" }],
  },
];
