// Writes docs/context.md: what the features of context economy are, one example each, and what `npm run bench -- context` measured.
// `node tools/bench/context-docs.ts`, after a build.
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { SEARCHING_CLIENTS } from '../../gateway/surfaces/searching-clients.ts'
import { estimateRows, handleRows, listRows } from './context.ts'
import { scriptRows } from './context-scripts.ts'
import type { BenchRow } from './index.ts'
import { recallRows } from './recall.ts'

const FILE = path.resolve(import.meta.dirname, '..', '..', 'docs/context.md')

const table = (head: string, rows: readonly BenchRow[]): string => {
  const cells = rows.map(({ label, value, beside = '', aim = '', met }) => {
    const goal = aim === '' ? '' : `${aim}${met === undefined ? '' : met ? ', met' : ', missed'}`
    return `| ${label} | ${value} | ${beside} | ${goal} |`
  })
  return [`| ${head} | Measured | Beside | Goal |`, '|---|---|---|---|', ...cells].join('\n')
}

const products = [...new Set(SEARCHING_CLIENTS.map(({ product }) => product))].join(', ')

const page = async (): Promise<string> => `# Context economy

A model pays for each tool that a list shows it and each byte that an answer returns. This page says what Gantry does about both, with one example each. Its numbers are written by \`node tools/bench/context-docs.ts\`; \`npm run bench -- context\` prints them. Tokens are counted with the vocabulary o200k (\`gpt-tokenizer\`).

## Find the right tool

\`search_tools\` finds tools by stems, synonyms and descriptions of parameters; \`detail: "signature"\` returns each in one line.

\`\`\`json
{ "name": "search_tools", "arguments": { "query": "weather forecast for a city", "detail": "signature" } }
\`\`\`

The corpus is half of the tasks of LiveMCPBench over 527 tools of 70 servers. Plain BM25 has the usual constants, over names and descriptions; a stronger BM25 with parameters reaches .424 and .755 over all tasks.

${table('Search', recallRows())}

With \`SEARCH_LEARNING=true\`, a search ranks tools higher that callers of the same team called after similar searches: the next three calls within ten minutes count, and their weight halves in two weeks. What was learned stays in the memory of one instance, is bounded, ends with a restart, and adds no tool that the caller could not list. The last three rows replay tasks of one half as use and report the other half, or the same tasks in other words.

\`\`\`
SEARCH_LEARNING=true gantry serve
\`\`\`

## The right list for each client

A bundle lists its tools in one of four forms (\`listMode\`): \`full\`; \`compact\` (first sentences, schemas without their words); \`router\` (\`search_tools\` and \`call_tool\`); \`auto\`, the cheapest of them for a session of five searches. The tab *Client view* of a bundle shows the tokens of each form and below how many searches in a session the router costs less. Clients with a tool search of their own (${products}) always receive the full list; \`gateway/surfaces/searching-clients.ts\` has the names they give themselves, with sources.

\`\`\`
curl -X PATCH "$GATEWAY/admin-api/bundles/desk" -H "Authorization: Bearer $ADMIN_KEY" -H 'Content-Type: application/json' -d '{"listMode":"auto"}'
\`\`\`

${table('Catalogue', listRows())}

## Keep data out of the model

With the context budget \`handle\`, an answer above \`maxResponseBytes\` becomes an outline and a handle. \`beginning: false\` shows no text of it. \`result_query\` answers questions about it, and \`{"$ref": "result:…#/items/0/id"}\` passes a value to another tool.

\`\`\`json
{ "name": "result_query", "arguments": { "handle": "result:…", "path": "items", "where": [{ "field": "owner", "op": "eq", "value": "bob" }], "sum": "price" } }
\`\`\`

\`jsonpath\` (RFC 9535) selects values instead of a path, and \`sql\` is one SELECT from the list there: expressions, \`WHERE\`, \`GROUP BY\`, \`HAVING\`, \`ORDER BY\`, \`LIMIT\`, fields of fields as \`owner.city\`, answered as SQLite does, without joins and subqueries. A question costs a bounded number of steps, and reads nothing but the result.

\`\`\`json
{ "name": "result_query", "arguments": { "handle": "result:…", "sql": "SELECT owner, sum(price) AS total FROM items GROUP BY owner ORDER BY total DESC" } }
\`\`\`

A budget keeps large answers without a setting of the tool, for a key, a consumer, a session, an MCP client (\`program\`), or a backend. The tightest size counts.

\`\`\`
gantry budget add "small answers" --per key --only "agents of art" --keep-above 4000
\`\`\`

Each question and each reading of a kept result is a call: with a row (\`result_query\`), an entry in the audit chain (\`AUDIT_TOOL_CALLS=all\`), and a place in the budgets of its caller. No record holds a handle. With its handle, an administrator looks into a result and exports its rows as CSV, NDJSON or Parquet, on the page *Context* or here; both are audited:

\`\`\`
gantry result list
gantry result show "$HANDLE" --sql "SELECT owner, count(*) AS n FROM items GROUP BY owner"
gantry result export "$HANDLE" rows.parquet --path items
\`\`\`

The answer also links to its data as an MCP resource (\`resource_link\`, for clients of revision 2025-06-18 or later): \`resources/read\` of \`gantry://result/…\`, with a JSON pointer after \`#\` for a part, returns up to 16 MiB to the same caller and session.

\`\`\`json
{ "method": "resources/read", "params": { "uri": "gantry://result/…#/items/0" } }
\`\`\`

${table('10 MB', await handleRows())}

The pipeline passes the 10 MB from the first tool to the second and a value of its answer to the third, by reference. Times are from a machine with two cores; the first query decrypts and parses the result, which its thread then keeps.

${await endOfPage()}`

const endOfPage = async (): Promise<string> => `## Many steps as one call

A script takes the place of the steps of a composite: TypeScript that calls the tools of the steps, several at once, without the model in between. It runs in an isolate without files, network or clock; each of its calls passes all guards as its caller, has a row and counts. A person approves the text; another text waits for its own approval.

\`\`\`ts
export default async function (input: Input): Promise<unknown> {
  const found = await call('issues__search', { query: input.query })
  const all = await callMany(found.items.map(({ id }) => ({ tool: 'issues__get', args: { id } })))
  return all.map(({ title, state }) => ({ title, state }))
}
\`\`\`

\`\`\`
gantry composite add triage triage.ts --tools issues__search,issues__get --input '{"type":"object","properties":{"query":{"type":"string"}}}'
gantry composite check triage --from triage.ts
gantry composite types triage > triage.d.ts
gantry composite test triage --args '{"query":"crash"}' --mocks '{"issues__search":[{"items":[]}]}'
gantry composite approve triage "$(gantry composite show triage --json | jq -r .review.hash)"
gantry composite versions triage
\`\`\`

\`check\` finds, by line, names that a script does not have, tools outside its list, and arguments, fields and results that do not fit the schemas. \`convert\` prints the steps of another composite as a script, and \`script --from\` saves a changed text. An import or \`gantry config apply\` carries scripts without their approval.

${table('Script', await scriptRows())}

The figure is the time of a script with 1,000 calls, less that of a script without any and that of the same calls without a script, by 1,000; the tool answers at once.

## Budgets and loops

A budget limits calls, bytes, tokens or cost per key, consumer, session or tool, in an hour, a day, a month or a session. Tools have a price per call or per million tokens of answers. Answers state what is left in \`_meta["gantry/call"].budgets\`; the call after the last is refused with \`quota\` and the reason \`budget\`. With \`--stop-loops\`, the fourth of near-identical calls with near-identical answers in a session is refused (\`loop\`).

\`\`\`
gantry budget add agents --per key --tokens 2000000 --cost 40 --stop-loops
\`\`\`

Budgets begin with what the call log has of their period. Budgets of sessions begin again after a restart. Several instances read the sums of all every 5 s, so that together they may pass a limit by the calls of that time.

Tokens of answers are estimated as bytes / 3.5, because a tokenizer would cost more than the call. The error of the estimate by kind of text, where + is too many:

${table('Text', estimateRows())}

## What it costs

The page *Context* and \`gantry context show\` list tokens by tool, list and client, and what a context budget or another form of list would have saved in the last day. \`gantry run report\` adds up one session: calls, tokens, bytes, cost, refusals, kept results and savings.

\`\`\`
gantry context show
gantry run report "$(gantry run list --json | jq -r '.[0].session')"
\`\`\`

Configuration documents hold the forms of lists, context budgets, prices and budgets:

\`\`\`yaml
version: 1
clients:
  - name: shop
    tools:
      - name: find_items
        contextBudget: { mode: handle, maxResponseBytes: 4000, beginning: false }
        price: { perCall: 0.01 }
bundles:
  - name: desk
    listMode: auto
    tools: [{ client: shop, tool: find_items }]
budgets:
  - { name: agents, per: session, maxTokens: 200000, stopLoops: true, keepAboveBytes: 8000 }
\`\`\`

## Check before a job

\`\`\`
gantry preflight desk --key 7
\`\`\`

Exit 0: every tool can be called now; 10: something must be changed; 11: wait; 12: a person is asked. No backend is called.
`

writeFileSync(FILE, await page())
