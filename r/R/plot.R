# Pictures of a fit: each is a table first, then drawn by ggplot2 where it is installed, and by R's own graphics otherwise.

#' Plot a fit
#'
#' @param x What [consilience()] gave. Pictures other than `"k"` and `"tree"` are of an examination: where the fit has not been examined,
#'   a short one is made for each picture, so `fit <- examine(fit)` first saves time.
#' @param type `"map"`, the samples so that neighbours lie together; `"affinity"`, how alike the samples of all clusters are;
#'   `"silhouette"`, how much nearer each sample is to its own cluster than to the next; `"markers"`, the features that set the clusters
#'   apart; `"k"`, the curves that the number of clusters was chosen by; `"tree"`, how the clusters join.
#' @param colour For the map: what the samples are coloured by, a vector with a value per sample; the clusters by default.
#' @param engine `"ggplot2"`, `"base"`, or the first of them that is installed.
#' @param ... Not used.
#' @return A ggplot where ggplot2 draws; otherwise the table that was drawn, invisibly.
#' @examples
#' set.seed(1)
#' group <- rep(1:3, each = 20)
#' x <- list(a = matrix(rnorm(300, 4 * group), 60), b = matrix(rnorm(120, 3 * group), 60))
#' fit <- examine(consilience(x, 3), resamples = 0)
#' plot(fit)
#' plot(fit, "silhouette", engine = "base")
#' @export
plot.consilience <- function(x, type = c("map", "affinity", "silhouette", "markers", "k", "tree"), colour = NULL, engine = NULL, ...) {
  type <- match.arg(type)
  if (is.null(engine)) engine <- if (requireNamespace("ggplot2", quietly = TRUE)) "ggplot2" else "base"
  engine <- one_of("engine", engine, c("ggplot2", "base"))
  if (engine == "ggplot2") needs("ggplot2")
  if (!type %in% c("k", "tree") && is.null(x$examination)) {
    x <- examine(x, resamples = 0, leave_out = FALSE)
  }
  drawn <- switch(type,
    map = map_table(x, colour), affinity = affinity_table(x), silhouette = silhouette_table(x), markers = marker_table(x),
    k = k_table(x), tree = tree_table(x)
  )
  draw <- if (engine == "ggplot2") gg_drawings else base_drawings
  drawing <- draw[[type]](drawn)
  if (engine == "ggplot2") drawing else invisible(drawn)
}

map_table <- function(fit, colour) {
  samples <- fit$examination$samples
  if (is.null(colour)) {
    colour <- samples$cluster
  } else {
    if (!is.null(names(colour)) && !is.null(fit$ids)) colour <- colour[match(rownames(samples), names(colour))]
    if (length(colour) != nrow(samples)) {
      refuse_parameter("colour", colour, sprintf("must have a value for each of %d samples", nrow(samples)))
    }
    if (is.character(colour) || is.logical(colour)) colour <- factor(colour)
  }
  data.frame(x = samples$x, y = samples$y, colour = unname(colour))
}

affinity_table <- function(fit) {
  heat <- fit$examination$document$heat
  size <- heat$size
  cells <- expand.grid(column = seq_len(size), row = seq_len(size))
  cells$affinity <- heat$values / 255 * heat$max
  attr(cells, "bounds") <- heat$bounds
  cells
}

silhouette_table <- function(fit) {
  samples <- fit$examination$samples
  samples <- samples[order(samples$cluster, -samples$silhouette), ]
  data.frame(place = seq_len(nrow(samples)), silhouette = samples$silhouette, cluster = samples$cluster)
}

marker_table <- function(fit) {
  picture <- fit$examination$document$marker_picture
  if (is.null(picture)) {
    refuse("no feature sets the clusters apart")
  }
  named <- fit$examination$markers[picture$markers + 1, ]
  names <- make.unique(paste0(named$feature, " (", named$view, ")"))
  means <- do.call(rbind, picture$means)
  data.frame(
    cluster = factor(rep(seq_len(nrow(means)) - 1L, times = ncol(means))), feature = factor(rep(names, each = nrow(means)), rev(names)),
    mean = as.numeric(means)
  )
}

k_table <- function(fit) {
  if (is.null(fit$choice)) {
    refuse("k was given, so there are no curves by which it was chosen", "consilience(x, k = \"auto\") lets the data choose")
  }
  curves <- c("stability", "null_stability", "agreement", "score")
  points <- rows_of(fit$choice$curves, c("k", curves))
  curves <- intersect(curves, names(points))
  long <- data.frame(k = rep(points$k, length(curves)), curve = factor(rep(curves, each = nrow(points)), curves), value = unlist(points[curves]), row.names = NULL)
  long <- long[!is.na(long$value), ]
  attr(long, "chosen") <- fit$k
  long
}

# The lines of a dendrogram: each join is two uprights and a bar.
tree_table <- function(fit) {
  tree <- as.hclust(fit)
  place <- numeric(length(tree$height))
  lines <- vector("list", length(tree$height))
  # heights are often close to 1: leaves begin a little below the first join
  foot <- max(0, min(tree$height) - 0.5 * (1 - min(tree$height)) - 0.01)
  where <- function(at) if (at < 0) c(match(-at, tree$order), foot) else c(place[[at]], tree$height[[at]])
  for (at in seq_along(tree$height)) {
    left <- where(tree$merge[at, 1])
    right <- where(tree$merge[at, 2])
    place[[at]] <- (left[[1]] + right[[1]]) / 2
    top <- tree$height[[at]]
    lines[[at]] <- data.frame(x = c(left[[1]], right[[1]], left[[1]]), y = c(left[[2]], right[[2]], top), xend = c(left[[1]], right[[1]], right[[1]]), yend = top)
  }
  table <- do.call(rbind, lines)
  attr(table, "leaves") <- tree$labels[tree$order]
  table
}

palette_of <- function(levels) grDevices::hcl.colors(max(levels, 2), "Dark 3")[seq_len(levels)]

gg_drawings <- list(
  map = function(table) {
    plot <- ggplot2::ggplot(table, ggplot2::aes(.data$x, .data$y, colour = .data$colour)) +
      ggplot2::geom_point(size = 1) + ggplot2::coord_equal() + ggplot2::theme_void() + ggplot2::labs(colour = NULL)
    if (is.factor(table$colour)) plot + ggplot2::scale_colour_manual(values = palette_of(nlevels(table$colour))) else plot
  },
  affinity = function(table) {
    bounds <- attr(table, "bounds") + 0.5
    ggplot2::ggplot(table, ggplot2::aes(.data$column, .data$row, fill = .data$affinity)) +
      ggplot2::geom_raster() + ggplot2::geom_vline(xintercept = bounds, colour = "white", linewidth = 0.2) +
      ggplot2::geom_hline(yintercept = bounds, colour = "white", linewidth = 0.2) +
      ggplot2::scale_y_reverse(expand = c(0, 0)) + ggplot2::scale_x_continuous(expand = c(0, 0)) +
      ggplot2::scale_fill_viridis_c() + ggplot2::coord_equal() + ggplot2::theme_void()
  },
  silhouette = function(table) {
    ggplot2::ggplot(table, ggplot2::aes(.data$place, .data$silhouette, fill = .data$cluster)) +
      ggplot2::geom_col(width = 1) + ggplot2::scale_fill_manual(values = palette_of(nlevels(table$cluster))) +
      ggplot2::labs(x = "samples, by cluster", y = "silhouette") + ggplot2::theme_minimal()
  },
  markers = function(table) {
    ggplot2::ggplot(table, ggplot2::aes(.data$cluster, .data$feature, fill = .data$mean)) +
      ggplot2::geom_tile() + ggplot2::scale_fill_gradient2(low = "#2166ac", mid = "white", high = "#b2182b") +
      ggplot2::labs(y = NULL, fill = "mean, in\nstandard deviations") + ggplot2::theme_minimal()
  },
  k = function(table) {
    ggplot2::ggplot(table, ggplot2::aes(.data$k, .data$value, colour = .data$curve)) +
      ggplot2::geom_vline(xintercept = attr(table, "chosen"), linetype = 2) + ggplot2::geom_line() + ggplot2::geom_point() +
      ggplot2::labs(y = NULL, colour = NULL) + ggplot2::theme_minimal()
  },
  tree = function(table) {
    leaves <- attr(table, "leaves")
    ggplot2::ggplot(table, ggplot2::aes(.data$x, .data$y, xend = .data$xend, yend = .data$yend)) + ggplot2::geom_segment() +
      ggplot2::scale_x_continuous(breaks = seq_along(leaves), labels = leaves) +
      ggplot2::labs(x = "cluster", y = "1 - share of ties") + ggplot2::theme_minimal()
  }
)

base_drawings <- list(
  map = function(table) {
    colours <- if (is.factor(table$colour)) {
      palette_of(nlevels(table$colour))[table$colour]
    } else {
      grDevices::hcl.colors(100, "viridis")[cut(table$colour, 100, labels = FALSE)]
    }
    graphics::plot(table$x, table$y, col = colours, pch = 16, cex = 0.6, asp = 1, axes = FALSE, xlab = "", ylab = "")
    if (is.factor(table$colour)) {
      graphics::legend("topright", levels(table$colour), col = palette_of(nlevels(table$colour)), pch = 16, bty = "n", cex = 0.8)
    }
  },
  affinity = function(table) {
    size <- max(table$row)
    values <- matrix(table$affinity, size, size)
    graphics::image(seq_len(size), seq_len(size), values[, size:1], col = grDevices::hcl.colors(64, "viridis"), axes = FALSE, xlab = "", ylab = "", asp = 1)
    bounds <- attr(table, "bounds") + 0.5
    graphics::abline(v = bounds, h = size + 1 - bounds, col = "white", lwd = 0.5)
  },
  silhouette = function(table) {
    colours <- palette_of(nlevels(table$cluster))[table$cluster]
    graphics::barplot(table$silhouette, space = 0, border = NA, col = colours, xlab = "samples, by cluster", ylab = "silhouette")
  },
  markers = function(table) {
    features <- levels(table$feature)
    clusters <- levels(table$cluster)
    values <- matrix(table$mean[order(table$feature, table$cluster)], length(clusters))
    old <- graphics::par(mar = c(4, min(14, 1 + 0.45 * max(nchar(features))), 1, 1))
    on.exit(graphics::par(old))
    end <- max(abs(values))
    graphics::image(seq_along(clusters), seq_along(features), values, zlim = c(-end, end), col = grDevices::hcl.colors(64, "Blue-Red 3"), axes = FALSE, xlab = "cluster", ylab = "")
    graphics::axis(1, seq_along(clusters), clusters)
    graphics::axis(2, seq_along(features), features, las = 2, cex.axis = 0.6)
  },
  k = function(table) {
    wide <- split(table, table$curve)
    graphics::plot(range(table$k), range(table$value), type = "n", xlab = "k", ylab = "")
    graphics::abline(v = attr(table, "chosen"), lty = 2)
    colours <- palette_of(length(wide))
    for (at in seq_along(wide)) graphics::lines(wide[[at]]$k, wide[[at]]$value, type = "b", col = colours[[at]])
    graphics::legend("topleft", names(wide), col = colours, lty = 1, bty = "n", cex = 0.8)
  },
  tree = function(table) {
    leaves <- attr(table, "leaves")
    graphics::plot(c(1, length(leaves)), range(table$y, table$yend), type = "n", axes = FALSE, xlab = "cluster", ylab = "1 - share of ties")
    graphics::segments(table$x, table$y, table$xend, table$yend)
    graphics::axis(1, seq_along(leaves), leaves)
    graphics::axis(2)
  }
)
