// Examples of a tool: arguments kept under a label, to try it with again. Contract 7.3, 10.2.
import { z } from 'zod'
import { Label } from '../names.ts'
import { Id, Iso, page, pageQuery } from '../page.ts'
import { routes } from '../route.ts'
import { ExampleArgs } from './example-args.ts'

const fields = { label: Label.max(100), args: ExampleArgs }

export const ExampleInput = z.strictObject({
  label: fields.label,
  args: fields.args.default({}),
  /** Keeps arguments that the schema of the tool refuses. */
  force: z.boolean().default(false),
})
export type ExampleInput = z.infer<typeof ExampleInput>

const ExampleChange = z.strictObject(fields).partial()
export type ExampleChange = z.infer<typeof ExampleChange>

export const ToolExample = z.object({
  id: Id,
  label: z.string(),
  args: z.record(z.string(), z.unknown()),
  createdAt: Iso,
  createdBy: z.string().nullable(),
})
export type ToolExample = z.infer<typeof ToolExample>

export const toolExamples = routes({
  list: {
    method: 'GET',
    path: '/admin-api/clients/:name/tools/:tool/examples',
    access: 'viewer',
    summary: 'List the examples of a tool, the newest first',
    query: z.strictObject(pageQuery()),
    reply: page(ToolExample),
    errors: ['TOOL_NOT_FOUND'],
  },
  create: {
    method: 'POST',
    path: '/admin-api/clients/:name/tools/:tool/examples',
    access: 'operator',
    summary: 'Keep arguments of a tool under a label',
    status: 201,
    body: ExampleInput,
    reply: ToolExample,
    audit: 'tool.example.create',
    errors: ['TOOL_NOT_FOUND', 'INVALID_ARGS', 'LIMIT_REACHED'],
  },
  update: {
    method: 'PATCH',
    path: '/admin-api/clients/:name/tools/:tool/examples/:id',
    access: 'operator',
    summary: 'Change the label or the arguments of an example',
    body: ExampleChange,
    reply: ToolExample,
    audit: 'tool.example.update',
    errors: ['TOOL_NOT_FOUND', 'EXAMPLE_NOT_FOUND', 'INVALID_ARGS'],
  },
  delete: {
    method: 'DELETE',
    path: '/admin-api/clients/:name/tools/:tool/examples/:id',
    access: 'operator',
    summary: 'Remove an example of a tool',
    audit: 'tool.example.delete',
    errors: ['TOOL_NOT_FOUND', 'EXAMPLE_NOT_FOUND', 'IN_USE'],
  },
})
