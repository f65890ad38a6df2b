#include "linear/rank.h"

#include <Eigen/QR>
#include <Eigen/SVD>
#include <algorithm>

namespace armature {

namespace {

// A tall matrix has the singular values of its triangular factor, which is small.
Eigen::VectorXd singular_values(const Eigen::MatrixXd& matrix) {
  if (matrix.rows() <= 2 * matrix.cols())
    return Eigen::BDCSVD<Eigen::MatrixXd>(matrix).singularValues();
  const Eigen::HouseholderQR<Eigen::MatrixXd> factors(matrix);
  const Eigen::MatrixXd triangle =
      factors.matrixQR().topRows(matrix.cols()).triangularView<Eigen::Upper>();
  return Eigen::BDCSVD<Eigen::MatrixXd>(triangle).singularValues();
}

}  // namespace

RankVerdict numerical_rank(const Matrix& matrix, double tolerance) {
  using Dense = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  RankVerdict verdict;
  if (matrix.rows() == 0 || matrix.columns() == 0) return verdict;
  const Eigen::Map<const Dense> view(matrix.row(0).data(), static_cast<Eigen::Index>(matrix.rows()),
                                     static_cast<Eigen::Index>(matrix.columns()));
  const Eigen::VectorXd values = singular_values(view);
  verdict.singular_values.assign(values.begin(), values.end());
  const auto larger_side = static_cast<double>(std::max(matrix.rows(), matrix.columns()));
  verdict.cut = (tolerance > 0 ? tolerance : larger_side * 0x1p-52) * values[0];
  for (const double value : verdict.singular_values)
    if (value > verdict.cut) ++verdict.rank;
  return verdict;
}

}  // namespace armature
