// Numbers and sentences. What happened is said from the numbers alone: who lost least, who cannot be told from it, and who
// was never far from the best.
'use strict';

const Words = (function () {
  const superscript = (number) => [...String(number)].map((letter) => '⁰¹²³⁴⁵⁶⁷⁸⁹'[letter] ?? '⁻').join('');
  const power = (exponent) => `10${superscript(exponent)}`;

  // Three digits, as people read them.
  function amount(number) {
    if (!Number.isFinite(number)) return '–';
    if (Math.abs(number) >= 1e7) {
      const [digits, exponent] = number.toExponential(1).split('e');
      return `${digits}·${power(Number(exponent))}`;
    }
    const rounded = Number(number.toPrecision(3));
    if (Math.abs(rounded) >= 100) return Math.round(number).toLocaleString('en-US');
    return Math.abs(rounded) >= 10 ? rounded.toFixed(0) : String(Number(number.toPrecision(2)));
  }
  const times = (ratio) => `${ratio >= 10 ? amount(ratio) : ratio.toFixed(1)} times`;
  function rounds(horizon) {
    const exponent = Math.round(Math.log10(horizon));
    return horizon === 10 ** exponent && exponent > 3 ? power(exponent) : horizon.toLocaleString('en-US');
  }
  const list = (names) => (names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`);
  const plural = (count, word) => `${count.toLocaleString('en-US')} ${word}${count === 1 ? '' : 's'}`;
  const capital = (sentence) => sentence.charAt(0).toUpperCase() + sentence.slice(1);

  const fewest = 5; // replications, below which nothing is called settled

  // An answer compares the best one with every other, pair by pair where they had the same luck.
  function surelyMore({ differences }, best, other) {
    return differences.some(({ first, second, high95 }) => first === best.policy && second === other.policy && high95 < 0);
  }
  const name = (result) => Worlds.policyName(result.policy);

  function judge(answer) {
    const results = [...answer.results].sort((one, other) => one.mean_regret - other.mean_regret);
    const best = results[0];
    const near = results.slice(1).filter((result) => !surelyMore(answer, best, result));
    return { best, near, worst: results.at(-1), results };
  }

  // A factor only where it says something: not of next to nothing, and not of nearly the same.
  const factor = (more, less) => (less.mean_regret >= 1 && more.mean_regret >= 1.1 * less.mean_regret ? times(more.mean_regret / less.mean_regret) : '');

  function inOneWorld(where, { near, worst, best }) {
    const least = `where ${where}, ${name(best)} lost least (${amount(best.mean_regret)})`;
    const most = factor(worst, best) ? `most, ${factor(worst, best)} as much` : `most (${amount(worst.mean_regret)})`;
    if (near.length === 0) return `${least} and ${name(worst)} ${most}`;
    const told = `${list(near.map(name))} cannot be told from it`;
    return near.includes(worst) ? `${least}, and ${told}` : `${least}, ${told}, and ${name(worst)} lost ${most}`;
  }

  // Who gives away least at worst: the most it lost beyond the best of a world, over both.
  function safest(truth, lie) {
    const extra = ({ results, best }, policy) => results.find((result) => name(result) === policy).mean_regret - best.mean_regret;
    return truth.results.map(name)
      .map((policy) => ({ policy, extra: Math.max(extra(truth, policy), extra(lie, policy)) }))
      .sort((one, other) => one.extra - other.extra)[0];
  }

  // Of the worlds' answers, finished or not: [{ where, answer }], the honest world first. One sentence.
  function happened(worlds) {
    const done = Math.min(...worlds.flatMap(({ answer }) => answer.results.map((result) => result.replications)));
    if (done < 2) return 'One replication says nothing yet.';
    const alone = worlds.find(({ answer }) => answer.results.length < 2);
    if (alone) return `${name(alone.answer.results[0])} alone cannot be compared: it takes a second policy that runs.`;
    const judged = worlds.map(({ where, answer }) => ({ where, ...judge(answer) }));
    const parts = judged.map((one) => inOneWorld(one.where, one));
    if (judged.length === 2) {
      const [truth, lie] = judged;
      const fallen = [truth.best, ...truth.near].some((result) => name(result) === name(lie.worst)) && !lie.near.includes(lie.worst);
      if (fallen && factor(lie.worst, lie.best))
        parts[1] = `where ${lie.where}, that same ${name(lie.worst)} lost ${amount(lie.worst.mean_regret)}, ${factor(lie.worst, lie.best)} as much as ${name(lie.best)}`;
      const safe = safest(truth, lie);
      parts.push(safe.extra === 0 ? `${safe.policy} lost least in both`
        : `over both, ${safe.policy} gave away least at worst, ${amount(safe.extra)} more than the best`);
    }
    const few = done < fewest ? ` (after only ${plural(done, 'replication')}: too few to be settled)` : '';
    return `${capital(parts.join('; '))}${few}.`;
  }

  return { amount, times, rounds, power, list, plural, capital, happened };
})();
