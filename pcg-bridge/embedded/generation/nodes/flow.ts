// Control of flow, reroutes, and nodes that look but do not change.

import { counted } from '../../../editor/counted.ts'
import { type Execute, flag, type NodeContext, type NodeTable, num, out, passing, str } from '../context.ts'
import { tableOf } from '../data.ts'

/** What is on one pin leaves by another. */
function route(context: NodeContext, from: string, to: string) {
  return context.input(from).map((item) => out(item.data, item.tags, to))
}

function selection(context: NodeContext): string {
  const wanted =
    str(context, 'SelectionMode') === 'String'
      ? str(context, 'StringSelection')
      : String(num(context, 'IntegerSelection'))
  return [...context.pins.inputs, ...context.pins.outputs].includes(wanted) ? wanted : 'Default'
}

const QUALITY = 'Default'
const sane: Execute = (context) => {
  for (const item of context.input('In')) {
    const count = tableOf(item.data)?.count ?? 0
    const [low, high] = [num(context, 'MinPointCount'), num(context, 'MaxPointCount')]
    if (count < low || count > high) context.fail(`${counted(count, 'point')}: not between ${low} and ${high}`)
  }
  return passing('In')(context)
}

const print: Execute = (context) => {
  const text = str(context, 'PrintString')
  if (flag(context, 'bEnablePrint') && text !== '') context.warn(`Print: ${text}`)
  return passing('In')(context)
}

export const flow: NodeTable = {
  PCGBranchSettings: (context) => route(context, 'In', flag(context, 'bOutputToB') ? 'Output B' : 'Output A'),
  PCGBooleanSelectSettings: (context) => route(context, flag(context, 'bUseInputB') ? 'Input B' : 'Input A', 'Out'),
  PCGSwitchSettings: (context) => route(context, 'In', selection(context)),
  PCGMultiSelectSettings: (context) => route(context, selection(context), 'Out'),
  PCGQualityBranchSettings: (context) => route(context, 'In', QUALITY),
  PCGQualitySelectSettings: (context) => route(context, QUALITY, 'Out'),
  PCGGatherSettings: passing('In'),
  PCGRerouteSettings: passing('In'),
  PCGNamedRerouteDeclarationSettings: (context) => [
    ...route(context, 'In', 'Out'),
    ...route(context, 'In', 'InvisiblePin'),
  ],
  PCGNamedRerouteUsageSettings: passing('InvisiblePin'),
  PCGWaitSettings: (context) => route(context, 'Execution Dependency', 'Execution Dependency'),
  PCGWaitLandscapeReadySettings: passing('In'),
  PCGHiGenGridSizeSettings: passing('In'),
  PCGDebugSettings: passing('In'),
  PCGVisualizeAttributeSettings: passing('In'),
  PCGSanityCheckPointDataSettings: sane,
  PCGPrintElementSettings: print,
}
