# Certified entropy and largest weight against context length, a curve a schedule. Data by `draw`.
set datafile separator ","
set datafile columnheaders
set terminal svg size 960,460 font "Helvetica,13" background "white"
set output out
set multiplot layout 1,2
set logscale x 2
set format x "2^{%L}"
set xlabel "context length n"
set key top left opaque
set ylabel "entropy"
plot log(x) with lines dt 2 lc rgb "#999999" title "ln n", \
     for [s in names] data using "n":s.".entropy" with linespoints lw 2 pt 7 ps 0.4 title s
set ylabel "largest weight"
set logscale y
set format y "10^{%L}"
set key bottom left opaque
plot 1/x with lines dt 2 lc rgb "#999999" title "1/n", \
     for [s in names] data using "n":s.".max_weight" with linespoints lw 2 pt 7 ps 0.4 title s
