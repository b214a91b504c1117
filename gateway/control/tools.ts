// The table of control-plane tools. Contract 6.3: a fixed catalog, by name.
import type { SysTool } from './tool.ts'
import { ADMIN_TOOLS } from './tools-admin.ts'
import { OPERATE_TOOLS } from './tools-operate.ts'
import { READ_TOOLS } from './tools-read.ts'

export const SYS_TOOLS: readonly SysTool[] = [...READ_TOOLS, ...OPERATE_TOOLS, ...ADMIN_TOOLS].sort((a, b) =>
  a.name < b.name ? -1 : 1,
)
