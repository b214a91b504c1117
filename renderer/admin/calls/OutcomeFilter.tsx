// The outcome filter, in the URL.

import { t } from '../../language/language.ts'
import { Select } from '../../ui/Select.tsx'
import { useUrlParams } from '../../url-params.ts'
import { OUTCOMES, outcomeIn } from './outcomes.ts'

export function OutcomeFilter() {
  const [{ outcome }, change] = useUrlParams()
  return (
    <Select
      label={t('Outcome')}
      hideLabel
      className="w-40"
      value={outcomeIn(outcome)}
      options={OUTCOMES}
      onChange={(next) => change({ outcome: next === 'any' ? '' : next })}
    />
  )
}
