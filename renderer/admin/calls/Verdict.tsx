// Why a call was refused, as it was at that moment.
import type { CallRow } from '#contract'
import { Facts } from '../../ui/Facts.tsx'

type Given = NonNullable<CallRow['verdict']>

export function Verdict({ call, verdict }: { readonly call: CallRow; readonly verdict: Given }) {
  const { text, setting, value, fix, address, unrecorded } = verdict
  return (
    <Facts
      title={call.tool ? 'At that moment' : 'Why it was refused'}
      facts={[
        ...(call.tool ? [] : [{ name: 'Message', value: text }]),
        { name: 'Gate', value: call.gate && <code className="font-mono text-xs">{call.gate}</code> },
        ...(setting === null
          ? []
          : [
              {
                name: 'Setting at that time',
                value: (
                  <code className="font-mono text-xs">
                    {setting}
                    {value !== null && ` = ${value}`}
                  </code>
                ),
              },
            ]),
        ...(address === null ? [] : [{ name: 'From', value: <code className="font-mono text-xs">{address}</code> }]),
        ...(unrecorded === null ? [] : [{ name: 'Not recorded', value: `${unrecorded} more requests` }]),
        ...(fix === null || call.tool ? [] : [{ name: 'What to do', value: fix }]),
      ]}
    />
  )
}
