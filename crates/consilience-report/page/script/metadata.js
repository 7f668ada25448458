// What else is known of the samples: columns of a table that was given, against the clusters.

const NOT_KNOWN = 65535;

/** The value that a code of a column stands for. */
function metadataText(column, code) {
  if (code === NOT_KNOWN) return "not known";
  const { values } = column;
  if (values.kind === "groups") return values.names[code];
  const [least, most] = values.range;
  return number(least + (code / (NOT_KNOWN - 1)) * (most - least));
}

/** Numbers of a column on a scale of 256 colours; beyond it where they are not known. */
function scaled(column) {
  return Uint16Array.from(column.codes, (code) => (code === NOT_KNOWN ? 999 : Math.round((255 * code) / (NOT_KNOWN - 1))));
}

function crossTable(run, selection, column) {
  const { values } = column;
  if (values.kind === "numbers") {
    return table(
      `Mean of ${column.name} by cluster`,
      ["Cluster", `Mean of ${column.name}`],
      values.means.map((mean, c) => [run.clusterName(c), number(mean ?? NaN)]),
    );
  }
  const { names, counts } = values;
  const sizes = counts.map((row) => row.reduce((sum, count) => sum + count, 0));
  return matrix(
    `Clusters as rows, ${column.name} as columns`,
    counts.map((_, c) => run.clusterName(c)),
    names,
    (c, g) => ({
      value: counts[c][g] / (sizes[c] || 1),
      text: counts[c][g] ? integer(counts[c][g]) : "",
      act: counts[c][g]
        ? () => selection.choose(`cluster ${c}, ${column.name}: ${names[g]}`, (s) => run.cluster[s] === c && column.codes[s] === g)
        : null,
      label: `${run.clusterName(c)}, ${column.name} ${names[g]}: ${plural(counts[c][g], "sample")}; select them`,
    }),
  );
}

/** None without a table of metadata. */
function metadataPanel(run, selection) {
  if (run.metadata.length === 0) return null;
  const order = [...run.metadata].sort((a, b) => b.effect - a.effect);
  const kinds = { groups: "Cramér's V", numbers: "eta squared" };
  return panel(
    "metadata",
    "Metadata",
    `What the clusters tell of “${order[0].name}” is the most: ${share(order[0].effect)}, where 0 is nothing and 1 all of it. The table never reached the method.`,
    table(
      "How far columns go with the clusters",
      ["Column", "Effect", "Measure"],
      order.map((column) => [named(column.name), share(column.effect), kinds[column.values.kind]]),
    ),
    order.map((column) => details(`${column.name} by cluster`, crossTable(run, selection, column))),
  );
}
