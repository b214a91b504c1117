// `result_query`: parts of a large answer that was kept for the caller. Listed where a tool keeps such answers.
import { RESULT_TOOL } from '../contract/names.ts'
import { OPS } from '../outcome/kept/query.ts'
import type { Searchable } from './search-index.ts'

const path = (description: string) => ({ type: 'string', description })

export const RESULT_LISTED = {
  name: RESULT_TOOL,
  title: 'Query a kept result',
  description:
    'Reads parts of a large answer that is kept as "result:…": the value at a path, or of a list there the entries that match, sorted, counted or summed up; or rows by SQL. ' +
    'An argument of any other tool may be {"$ref": "result:…#/items/0/id"}: the gateway puts the value there.',
  inputSchema: {
    type: 'object',
    properties: {
      handle: path('As the answer named it: result:…'),
      path: path('Keys and positions with dots between, such as items.0.owner; without it, the whole'),
      jsonpath: path('Instead of path: JSONPath (RFC 9535), such as $.items[?@.price > 9].id'),
      sql: path(
        'One SELECT from the list there, as rows: SELECT owner, sum(price) AS total FROM rows GROUP BY owner ORDER BY total DESC',
      ),
      where: {
        type: 'array',
        description: 'Conditions that entries of the list must all meet',
        items: {
          type: 'object',
          properties: {
            field: path('A path in the entry; "" is the entry itself'),
            op: { enum: OPS },
            value: { type: ['string', 'number', 'boolean', 'null'] },
          },
          required: ['field', 'op'],
        },
      },
      select: { type: 'array', items: { type: 'string' }, description: 'Paths of the fields to return' },
      sort: path('A path to sort by; "-" before it for the largest first'),
      group: path('A path: one row for each value, with the count of its entries'),
      sum: path('A path: adds sum, min and max of its numbers'),
      offset: { type: 'integer', default: 0 },
      limit: { type: 'integer', default: 20, description: '1 to 1000; fewer are returned where they are long' },
    },
    required: ['handle'],
  },
  annotations: {
    title: 'Query a kept result',
    readOnlyHint: true,
    destructiveHint: false,
    idempotentHint: true,
    openWorldHint: false,
  },
}
export const RESULT_JSON = JSON.stringify(RESULT_LISTED)

/** Whether a list has a tool that keeps answers, and no tool that is already named `result_query`. */
export const keepsResults = (visible: readonly Searchable[]): boolean =>
  visible.some(({ tool, keeps, gates }) => keeps ?? (gates?.keeps || tool?.config?.contextBudget?.mode === 'handle')) &&
  !visible.some(({ listed }) => listed.name === RESULT_TOOL)
